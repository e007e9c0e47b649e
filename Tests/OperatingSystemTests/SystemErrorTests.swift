import Glibc
import Testing

@testable import OperatingSystem

@Suite("Failed system calls") struct SystemErrorTests {
  @Test("an error says what the system says, and which call it was") func description() {
    #expect(SystemError("pthread_create", EAGAIN).description == "Resource temporarily unavailable (pthread_create)")
  }

  @Test("errors are equal where both the call and the number are") func equality() {
    #expect(SystemError("pipe2", EMFILE) == SystemError("pipe2", EMFILE))
    #expect(SystemError("pipe2", EMFILE) != SystemError("pipe2", ENFILE))
    #expect(SystemError("pipe2", EMFILE) != SystemError("socketpair", EMFILE))
  }
}
