import Foundation
import Glibc
import Server
import Synchronization
import Testing

@Suite("The writer of a log")
struct LogWriterTests {
  /// A pipe of the smallest size, which takes a page.
  private final class Pipe: Sendable {
    let reader: Int32
    let writer: Int32

    init() {
      var ends: [Int32] = [0, 0]
      Glibc.pipe(&ends)
      (reader, writer) = (ends[0], ends[1])
      // F_SETPIPE_SZ, which glibc declares for `_GNU_SOURCE` alone.
      _ = fcntl(writer, 1031, Int32(4096))
    }

    deinit {
      close(reader)
      close(writer)
    }

    /// The lines up to the one that begins with `last`.
    func lines(to last: String) -> [String] {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        if bytes.last == UInt8(ascii: "\n"), lines.last?.hasPrefix(last) == true { return lines }
        let count = read(reader, &buffer, buffer.count)
        guard count > 0 else { return lines }
        bytes += buffer[..<count]
      }
    }
  }

  private static func line(_ number: Int) -> String { "\(number) " + String(repeating: "x", count: 1000) }

  @Test(
    "waits for the reader of a pipe that somebody has made non-blocking, and loses no line", .timeLimit(.minutes(1)))
  func nonBlocking() {
    let pipe = Pipe()
    _ = fcntl(pipe.writer, F_SETFL, fcntl(pipe.writer, F_GETFL) | O_NONBLOCK)
    let writer = LogWriter(to: pipe.writer, limit: 1 << 20) { "dropped \($0)" }
    for number in 0..<100 { writer.write(Self.line(number)) }
    writer.write("last")
    #expect(pipe.lines(to: "last") == (0..<100).map(Self.line) + ["last"])
    writer.finish()
  }

  @Test(
    "does not block if its reader does not read, and drops and counts excess lines", .timeLimit(.minutes(1)))
  func stalled() {
    let pipe = Pipe()
    let writer = LogWriter(to: pipe.writer, limit: 100_000) { "dropped \($0)" }
    for number in 0..<1000 { writer.write(Self.line(number)) }
    writer.finish(patience: .milliseconds(10))
    let lines = pipe.lines(to: "dropped")
    let kept = lines.count - 1
    #expect(kept > 90 && kept < 200)
    #expect(lines.dropLast() == (0..<kept).map(Self.line)[...])
    #expect(lines.last == "dropped \(1000 - kept)")
    // There is room again.
    writer.write("next")
    #expect(pipe.lines(to: "next") == ["next"])
    writer.finish()
  }

  @Test("writes everything at the end if the reader reads", .timeLimit(.minutes(1)))
  func ending() {
    let pipe = Pipe()
    let writer = LogWriter(to: pipe.writer) { "dropped \($0)" }
    for number in 0..<200 { writer.write(Self.line(number)) }
    writer.write("end")
    let count = Mutex(0)
    let hasRead = DispatchSemaphore(value: 0)
    // Both ends block their threads, of which the concurrency runtime has few.
    Thread.detachNewThread {
      count.withLock { $0 = pipe.lines(to: "end").count }
      hasRead.signal()
    }
    writer.finish(patience: .seconds(30))
    hasRead.wait()
    #expect(count.withLock { $0 } == 201)
  }

  @Test("writes a line that is longer than its buffer, and drops lines that cannot be read", .timeLimit(.minutes(1)))
  func extremes() {
    let pipe = Pipe()
    let writer = LogWriter(to: pipe.writer, limit: 10) { "dropped \($0)" }
    writer.write(Self.line(1))
    #expect(pipe.lines(to: "1") == [Self.line(1)])
    let nobody = LogWriter(to: -1) { "dropped \($0)" }
    nobody.write("x")
    nobody.finish(patience: .seconds(30))
  }

  @Test("writes nothing after the last line of a process that ends", .timeLimit(.minutes(1)))
  func closed() {
    let pipe = Pipe()
    let writer = LogWriter(to: pipe.writer) { "dropped \($0)" }
    writer.write("ended", isLast: true)
    writer.write("late")
    writer.finish()
    Glibc.write(pipe.writer, "nothing else\n", 13)
    #expect(pipe.lines(to: "nothing") == ["ended", "nothing else"])
  }
}
