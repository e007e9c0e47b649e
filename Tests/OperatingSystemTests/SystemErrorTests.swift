import Glibc
import Testing

@testable import OperatingSystem

@Suite("Failed system calls") struct SystemErrorTests {
  @Test("an error has the system's message and the name of the call") func description() {
    #expect(SystemError("pthread_create", EAGAIN).description == "Resource temporarily unavailable (pthread_create)")
  }

  @Test(
    "the message equals that of strerror for every number",
    arguments: [-1, 0, 1, EMFILE, EHWPOISON, 134, 4096, Int32.max])
  func text(number: Int32) {
    #expect(SystemError.text(of: number) == String(cString: strerror(number)))
  }

  @Test("only a lack of descriptors comes with advice") func advice() {
    #expect(
      SystemError.textWithAdvice(of: EMFILE) == "Too many open files; raise the limit on open files (`ulimit -n`)")
    #expect(SystemError.textWithAdvice(of: ENFILE).hasSuffix("; raise the limit on open files (`ulimit -n`)"))
    #expect(SystemError.textWithAdvice(of: ENOENT) == "No such file or directory")
  }

  @Test("errors are equal if both the call and the number are") func equality() {
    #expect(SystemError("pipe2", EMFILE) == SystemError("pipe2", EMFILE))
    #expect(SystemError("pipe2", EMFILE) != SystemError("pipe2", ENFILE))
    #expect(SystemError("pipe2", EMFILE) != SystemError("socketpair", EMFILE))
  }
}
