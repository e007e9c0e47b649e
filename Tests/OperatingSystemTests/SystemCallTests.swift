import Glibc
import Synchronization
import Testing

@testable import OperatingSystem

@Suite("System calls") struct SystemCallTests {
  /// Returns a descriptor of an unnamed file that contains `text`.
  private func file(_ text: String) throws -> Int32 {
    let descriptor = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    try SystemCall.writeAll(Array(text.utf8), to: descriptor)
    return descriptor
  }

  /// The macro `O_TMPFILE`, which Swift does not import.
  private var O_TMPFILE: Int32 { 0o20000000 | O_DIRECTORY }

  @Test("a call is repeated only after a signal") func retrying() {
    var outcomes: [(Int, Int32)] = [(-1, EINTR), (-1, EINTR), (7, 0), (8, 0)]
    func call() -> Int {
      let outcome = outcomes.removeFirst()
      errno = outcome.1
      return outcome.0
    }
    #expect(SystemCall.retrying(call) == 7)
    #expect(outcomes.count == 1)
    outcomes = [(0, EINTR), (9, 0)]
    #expect(SystemCall.retrying(call) == 0)
    outcomes = [(-1, EINTR), (-1, EAGAIN), (9, 0)]
    let failed = SystemCall.retrying(call)
    let number = errno
    #expect(failed == -1 && number == EAGAIN)
    #expect(outcomes.count == 1)
  }

  @Test("all bytes are written even if signals interrupt the writes") func interruptedWrites() async {
    await #expect(processExitsWith: .success) {
      // Without SA_RESTART, a write that has written nothing fails, and a partial one returns its count.
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in }
      sigaction(SIGUSR1, &action, nil)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { exit(2) }
      let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }
      let (input, output) = (ends[0], ends[1])
      let writer = Mutex<pthread_t?>(nil)
      guard
        let thread = try? SystemThread(
          "test-writer",
          {
            writer.withLock { $0 = pthread_self() }
            try? SystemCall.writeAll(bytes, to: output)
            close(output)
          })
      else { exit(3) }
      var received: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 5000)
      while received.count < bytes.count {
        // By now, the writer is usually waiting for space.
        usleep(200)
        if let target = writer.withLock({ $0 }) { pthread_kill(target, SIGUSR1) }
        let count = read(input, &piece, piece.count)
        if count == 0 { exit(4) }
        if count > 0 { received += piece[..<count] }
      }
      thread.join()
      exit(received == bytes ? 0 : 5)
    }
  }

  @Test("a failing write throws the system's error") func failedWrite() {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    #expect(throws: SystemError("write", ENOSPC)) { try SystemCall.writeAll([1, 2, 3], to: full) }
    #expect(throws: SystemError("write", EBADF)) { try SystemCall.writeAll([1, 2, 3], to: -1) }
  }

  @Test("an empty write makes no call, and a slice is written from its start") func slices() throws {
    try SystemCall.writeAll([], to: -1)
    let descriptor = try file("")
    defer { close(descriptor) }
    try SystemCall.writeAll(Array("0123456789".utf8)[3..<6], to: descriptor)
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = try bytes.withUnsafeMutableBytes { try SystemCall.fill($0, from: descriptor, at: 0) }
    #expect(String(decoding: bytes[..<count], as: UTF8.self) == "345")
  }

  @Test(
    "a buffer is filled until the file ends",
    arguments: [(0, 4, "0123"), (6, 4, "6789"), (8, 4, "89"), (10, 4, ""), (99, 4, ""), (3, 0, "")])
  func fill(offset: Int64, capacity: Int, expected: String) throws {
    let descriptor = try file("0123456789")
    defer { close(descriptor) }
    let before = lseek(descriptor, 0, SEEK_CUR)
    var bytes = [UInt8](repeating: 0, count: capacity)
    let count = try bytes.withUnsafeMutableBytes { try SystemCall.fill($0, from: descriptor, at: offset) }
    #expect(String(decoding: bytes[..<count], as: UTF8.self) == expected)
    #expect(lseek(descriptor, 0, SEEK_CUR) == before)
  }

  @Test("a failing read throws the system's error") func failedRead() {
    var bytes: [UInt8] = [0]
    #expect(throws: SystemError("pread", EBADF)) {
      try bytes.withUnsafeMutableBytes { try SystemCall.fill($0, from: -1, at: 0) }
    }
  }
}
