import Glibc
import Testing

@testable import OperatingSystem

@Suite("Output pipes") struct OutputPipeTests {
  @Test("reading yields the written bytes, and then the end once the write end is closed") func output() throws {
    var pipe = try OutputPipe()
    try SystemCall.writeAll(Array("text".utf8), to: pipe.writeEnd)
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(pipe.readEnd, &bytes, bytes.count) == 4)
    #expect(bytes[..<4].elementsEqual("text".utf8))
    #expect(read(pipe.readEnd, &bytes, bytes.count) == -1 && errno == EAGAIN)
    pipe.closeWriteEnd()
    #expect(pipe.writeEnd == -1)
    #expect(read(pipe.readEnd, &bytes, bytes.count) == 0)
    // A second close must do nothing, because the number may have been reused.
    pipe.closeWriteEnd()
  }

  @Test("only the read end is non-blocking, and both are close-on-exec") func flags() throws {
    let pipe = try OutputPipe()
    #expect(fcntl(pipe.readEnd, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(pipe.writeEnd, F_GETFL) & O_NONBLOCK == 0)
    #expect(fcntl(pipe.readEnd, F_GETFD) == FD_CLOEXEC)
    #expect(fcntl(pipe.writeEnd, F_GETFD) == FD_CLOEXEC)
  }

  @Test("both ends are closed with the value, except for a read end that was taken") func life() async {
    // In a separate process, where the numbers are not reused.
    await #expect(processExitsWith: .success) {
      func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }
      func ends(taking: Bool) throws -> (Int32, Int32) {
        var pipe = try OutputPipe()
        let ends = (pipe.readEnd, pipe.writeEnd)
        guard isOpen(ends.0), isOpen(ends.1) else { exit(2) }
        if taking, pipe.takeReadEnd() != ends.0 || pipe.readEnd != -1 { exit(3) }
        return ends
      }
      guard let closed = try? ends(taking: false), !isOpen(closed.0), !isOpen(closed.1) else { exit(4) }
      guard let taken = try? ends(taking: true), isOpen(taken.0), !isOpen(taken.1) else { exit(5) }
      exit(0)
    }
  }

  @Test("without descriptors left, creating a pipe throws the system's error") func exhaustion() async {
    await #expect(processExitsWith: .success) {
      Descriptors.exhaust()
      do throws(SystemError) {
        _ = try OutputPipe()
      } catch {
        exit(error == SystemError("pipe2", EMFILE) ? 0 : 2)
      }
      exit(3)
    }
  }
}
