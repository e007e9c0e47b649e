import Foundation
import Glibc
import RunHistory
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("The watch of logs", .timeLimit(.minutes(1))) final class LogWatchTests: Sendable {
  private let workspace = NSTemporaryDirectory() + "penstock-watch-\(UUID().uuidString)"
  private let run = RunID.generate()
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop()
    try loop.start()
    try FileManager.default.createDirectory(atPath: workspace, withIntermediateDirectories: true)
  }

  deinit {
    loop.stop()
    try? FileManager.default.removeItem(atPath: workspace)
  }

  /// An attempt whose process is the test. *On the event loop.*
  private final class Attempt: @unchecked Sendable {
    let pool: LogFilePool
    let watch: LogWatch
    let files: LogFiles
    let logs: WatchedLogs
    let directory: LogDirectory
    private let output: Int32
    private let error: Int32

    init(_ test: LogWatchTests, pumped: PumpedGrowths? = nil, watch: LogWatch) throws {
      pool = LogFilePool(workspace: test.workspace, relative: "runs/\(test.run)")
      self.watch = watch
      files = try pool.take()
      directory = LogDirectory(try pool.runDirectory())
      logs = watch.begin(files, index: pool.index, in: directory, pumped: pumped)
      output = open(files.output.string, O_WRONLY | O_APPEND)
      error = open(files.error.string, O_WRONLY | O_APPEND)
    }

    func print(_ text: String) { _ = Glibc.write(output, text, text.utf8.count) }
    func complain(_ text: String) { _ = Glibc.write(error, text, text.utf8.count) }

    func end() {
      close(output)
      close(error)
      watch.end(logs)
      pool.removeEmpty()
    }
  }

  private func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (LogWatchTests) async throws -> Value
  ) async throws -> Value {
    let test = self
    return try await Task(executorPreference: loop) { try await body(test) }.value
  }

  private func watch(limit: Int = .max) -> LogWatch {
    var left = limit
    return LogWatch(loop: loop, now: { .now }) { descriptor, path, events in
      guard left > 0 else {
        errno = ENOSPC
        return -1
      }
      left -= 1
      return inotify_add_watch(descriptor, path, events)
    }
  }

  private var indexFiles: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(workspace)/runs/\(run)")) ?? []
    return names.filter { $0.hasSuffix(".index") }
  }

  /// Returns the lines of the first attempt in the order of the index, each with its stream.
  private func order() -> [String] {
    let index = LogIndex(of: run, in: workspace)
    var lines: [(sequence: Int, text: String)] = []
    for isError in [false, true] {
      let log = LogName(number: 1, isError: isError)
      let text = (try? String(contentsOfFile: "\(workspace)/runs/\(run)/\(log.text)", encoding: .utf8)) ?? ""
      var end: Int64 = 0
      for line in text.split(separator: "\n") {
        end += Int64(line.utf8.count) + 1
        lines.append((index.mark(of: log, covering: end)?.sequence ?? .max, (isError ? "!" : "|") + line))
      }
    }
    return lines.sorted { $0.sequence < $1.sequence }.map(\.text)
  }

  @Test("records nothing and leaves no index when it is off") func off() async throws {
    try await onLoop { test in
      let attempt = try Attempt(test, watch: LogWatch(loop: test.loop, isOn: false, now: { .now }))
      attempt.print("a\n")
      attempt.complain("b\n")
      attempt.end()
    }
    #expect(indexFiles.isEmpty)
    #expect(LogIndex(of: run, in: workspace).mark(of: LogName(number: 1, isError: false), covering: 2) == nil)
  }

  @Test("records the order of writes to both streams, however fast they follow one another") func order() async throws {
    try await onLoop { test in
      let attempt = try Attempt(test, watch: test.watch())
      attempt.print("a\n")
      attempt.print("b\n")
      attempt.complain("c\n")
      attempt.print("d\n")
      attempt.complain("e\n")
      attempt.end()
    }
    #expect(order() == ["|a", "|b", "!c", "|d", "!e"])
    let mode =
      try FileManager.default.attributesOfItem(
        atPath: "\(workspace)/runs/\(run)/\(#require(indexFiles.first))")[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("records when lines were written, while the process is running") func times() async throws {
    let (before, between) = try await onLoop { test in
      let before = RecordTime.now
      let attempt = try Attempt(test, watch: test.watch())
      attempt.print("a\n")
      let log = LogName(number: 1, isError: false)
      let delayer = LoopDelayer(loop: test.loop)
      // The index is written although nothing else happens.
      while LogIndex(of: test.run, in: test.workspace).mark(of: log, covering: 2) == nil {
        try await delayer.delay(for: .milliseconds(1))
      }
      let between = RecordTime.now
      attempt.print("b\n")
      attempt.end()
      return (before, between)
    }
    let index = LogIndex(of: run, in: workspace)
    let log = LogName(number: 1, isError: false)
    let times = [2, 4].compactMap { index.mark(of: log, covering: $0)?.time }
    #expect(times.count == 2 && before <= times[0] && times[0] <= between && between <= times[1])
  }

  @Test("writes nothing for a short attempt that wrote to one stream") func short() async throws {
    let isShort = try await onLoop { test in
      let attempt = try Attempt(test, watch: test.watch())
      attempt.print("a\n")
      attempt.end()
      return ContinuousClock.now - attempt.logs.began < .milliseconds(10)
    }
    // On a busy computer the attempt is long.
    #expect(!isShort || indexFiles.isEmpty)
  }

  @Test("is omitted if the user has no watches left", arguments: 0...2) func limited(_ limit: Int) async throws {
    let waits = try await onLoop { test in
      let watch = test.watch(limit: limit)
      let attempt = try Attempt(test, watch: watch)
      attempt.print("a\n")
      attempt.complain("b\n")
      #expect(!attempt.logs.isWatched)
      attempt.end()
      return attempt.files.sizes()
    }
    #expect(waits.output == 2 && waits.error == 2)
    #expect(indexFiles.isEmpty)
  }

  @Test("stops watching an attempt that writes without end, and resumes later") func flood() async throws {
    try await onLoop { test in
      let attempt = try Attempt(test, watch: test.watch())
      let delayer = LoopDelayer(loop: test.loop)
      while !attempt.logs.isFlooding {
        for _ in 0..<5000 { attempt.print("x\n") }
        try await delayer.delay(for: .milliseconds(1))
      }
      #expect(!attempt.logs.isWatched && attempt.directory.own == nil)
      while attempt.logs.isFlooding { try await delayer.delay(for: .milliseconds(1)) }
      #expect(attempt.logs.isWatched && attempt.directory.own != nil)
      attempt.complain("calm\n")
      attempt.print("again\n")
      attempt.end()
    }
    #expect(order().suffix(3) == ["|x", "!calm", "|again"])
  }

  @Test("ends its watches when no attempt is running, and keeps those of files that are reused") func ended()
    async throws
  {
    try await onLoop { test in
      let watch = test.watch()
      let pool = LogFilePool(workspace: test.workspace, relative: "runs/\(test.run)")
      let directory = LogDirectory(try pool.runDirectory())
      let first = try pool.take()
      let other = watch.begin(try pool.take(), index: pool.index, in: directory, pumped: nil)
      watch.end(watch.begin(first, index: pool.index, in: directory, pumped: nil))
      let delayer = LoopDelayer(loop: test.loop)
      try await delayer.delay(for: .milliseconds(1))
      #expect(directory.own != nil && directory.files.count == 4)
      watch.end(other)
      while directory.own != nil { try await delayer.delay(for: .milliseconds(1)) }
      #expect(directory.files.isEmpty)
      let again = watch.begin(first, index: pool.index, in: directory, pumped: nil)
      #expect(again.isWatched && directory.files.count == 2 && directory.own != nil)
      watch.end(again)
      pool.removeEmpty()
    }
  }

  @Test("takes the notes of the masking thread in order") func pumped() async throws {
    try await onLoop { test in
      let watch = test.watch()
      let pumped = watch.pump()
      let attempt = try Attempt(test, pumped: pumped, watch: watch)
      for (isError, text) in [(true, "a\n"), (false, "b\n"), (true, "c\n")] {
        if isError { attempt.complain(text) } else { attempt.print(text) }
        let sizes = attempt.files.sizes()
        pumped.note(LogName(number: 1, isError: isError), size: isError ? sizes.error : sizes.output)
      }
      attempt.end()
    }
    #expect(order() == ["!a", "|b", "!c"])
  }

  @Test("continues an index that was closed for lack of descriptors") func rest() async throws {
    try await onLoop { _ in
      let path = NSTemporaryDirectory() + "penstock-index-\(UUID().uuidString)"
      defer { unlink(path) }
      let index = LogIndexFile { (path, open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)) }
      let growth = { (size: Int64) in LogGrowth(LogName(number: 1, isError: false), size: size, time: .now) }
      index.append([growth(1)])
      index.rest()
      index.append([growth(2)])
      index.close()
      let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
      var sizes: [Int64] = []
      #expect(LogIndexCoding.read(bytes[LogIndexCoding.mark.count...]) { sizes.append($0.size) } != nil)
      #expect(sizes == [1, 2])
    }
  }

  @Test("loses an index that cannot be written, and nothing else") func full() async throws {
    try await onLoop { test in
      var opened = 0
      let index = LogIndexFile {
        opened += 1
        return ("/dev/full", open("/dev/full", O_WRONLY | O_CLOEXEC))
      }
      for _ in 0..<2 {
        index.append([LogGrowth(LogName(number: 1, isError: false), size: 1, time: .now)])
        index.flush()
      }
      #expect(opened == 1 && !index.hasWaiting)
      let none = LogIndexFile { nil }
      none.append([LogGrowth(LogName(number: 1, isError: false), size: 1, time: .now)])
      none.close()
      #expect(!none.hasWaiting)
    }
  }

  @Test("does not change the index of a former host") func former() async throws {
    for _ in 0..<2 {
      try await onLoop { test in
        let attempt = try Attempt(test, watch: test.watch())
        attempt.print("a\n")
        attempt.complain("b\n")
        attempt.end()
      }
    }
    #expect(indexFiles.count == 2)
  }
}

@Suite("The masking thread's notes on logs") struct PumpedGrowthsTests {
  @Test("combine the growth of a stream within some milliseconds") func gathered() {
    let time = Mutex<Int64>(0)
    let news = Mutex(0)
    let growths = PumpedGrowths(now: { time.withLock { RecordTime(microseconds: $0) } }) { news.withLock { $0 += 1 } }
    let (output, error) = (LogName(number: 1, isError: false), LogName(number: 1, isError: true))
    for (log, size, at) in [(output, 1, 0), (output, 2, 4000), (output, 3, 9000), (error, 1, 9000), (output, 4, 9001)] {
      time.withLock { $0 = Int64(at) }
      growths.note(log, size: Int64(size))
    }
    let taken = growths.take()
    #expect(taken.map(\.size) == [2, 3, 1, 4])
    #expect(taken.map(\.time.microseconds) == [4000, 9000, 9000, 9001])
    #expect(news.withLock { $0 } == 1)
    growths.note(output, size: 5)
    #expect(news.withLock { $0 } == 2 && growths.take().count == 1)
  }
}
