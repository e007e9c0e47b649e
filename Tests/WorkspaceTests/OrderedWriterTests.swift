import Foundation
import SQLite
import Testing

@testable import Workspace

@Suite("The ordered writer")
struct OrderedWriterTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openNumbers(directory)
  }

  /// Prevents the database from growing, as a full disk would, or allows it again.
  private func limitPages(_ limited: Bool) throws {
    try workspace.write { db in
      let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      _ = try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(limited ? pages : 1_000_000_000)")
    }
  }

  @Test("writes changes in the order in which they were appended, many per transaction")
  func groups() async throws {
    let writer = OrderedWriter.numbers(workspace, delay: .milliseconds(200))
    for number in 0..<1000 { writer.append(number) }
    try await writer.flush()
    #expect(try workspace.values() == Array(0..<1000))
    #expect(writer.progress.transactions <= 2)
    #expect(writer.progress.waiting == 0)
    try await writer.close()
  }

  @Test("checkpoints the log while it waits for further changes, so that closing need not")
  func leisure() async throws {
    let writer = OrderedWriter<Int>(
      workspace: workspace, delay: .milliseconds(1),
      apply: { db, sizes in
        for size in sizes { try db.execute(sql: "INSERT INTO number (value) VALUES (zeroblob(?))", arguments: [size]) }
      })
    let log = directory.workspace + "/workspace.db-wal"
    // 3.6 MB, each part in its own transaction: a log of less than 4 MiB is not checkpointed because of its length.
    for _ in 0..<36 {
      writer.append(100_000)
      try await eventually { writer.progress.waiting == 0 }
    }
    let length = try #require(FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)
    #expect(length < 2_000_000)
    try await writer.close()
    let total = try await workspace.read { try Int.fetchOne($0, sql: "SELECT sum(length(value)) FROM number") }
    #expect(total == 3_600_000)
  }

  @Test("returns immediately from a retry if nothing has failed", .timeLimit(.minutes(1)))
  func idleRetry() async throws {
    let writer = OrderedWriter.numbers(workspace, delay: .milliseconds(1))
    writer.append(1)
    try await writer.flush()
    try await writer.retry()
    try await writer.close()
  }

  @Test("puts no more changes into a transaction than allowed")
  func maximum() async throws {
    let writer = OrderedWriter.numbers(workspace, delay: .milliseconds(200), maximumBatch: 100)
    for number in 0..<1000 { writer.append(number) }
    try await writer.flush()
    #expect(writer.progress.transactions >= 10)
    #expect(try workspace.values() == Array(0..<1000))
    try await writer.close()
  }

  @Test("stops waiting for further changes once there are enough")
  func sufficient() async throws {
    // Nothing is flushed: with a delay of an hour, only the number of changes can begin a transaction.
    let writer = OrderedWriter.numbers(workspace, delay: .seconds(3600))
    for number in 0..<1500 { writer.append(number) }
    try await eventually { writer.progress.transactions > 0 }
    #expect(try workspace.values().starts(with: 0..<1024))
    try await writer.close()
    #expect(try workspace.values() == Array(0..<1500))
  }

  @Test("keeps the order of each thread that appends")
  func threads() async throws {
    let writer = OrderedWriter.numbers(workspace)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask { for number in 0..<500 { writer.append(thread * 1000 + number) } }
      }
    }
    try await writer.close()
    let values = try workspace.values()
    #expect(values.count == 4000)
    for thread in 0..<8 {
      #expect(values.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
    }
  }

  @Test("runs work between the changes appended before and after it")
  func perform() async throws {
    let writer = OrderedWriter.numbers(workspace, delay: .milliseconds(100))
    for number in 0..<10 { writer.append(number) }
    async let seen = writer.perform { db in
      try db.execute(sql: "INSERT INTO number (value) VALUES (-1)")
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM number") ?? 0
    }
    #expect(try await seen == 11)
    for number in 10..<20 { writer.append(number) }
    try await writer.flush()
    #expect(try workspace.values() == Array(0..<10) + [-1] + Array(10..<20))
    try await writer.close()
  }

  @Test("undoes work that throws, and continues with the changes")
  func performThrows() async throws {
    struct Refusal: Error {}
    let writer = OrderedWriter.numbers(workspace)
    writer.append(1)
    await #expect(throws: Refusal.self) {
      try await writer.perform { db -> Void in
        try db.execute(sql: "INSERT INTO number (value) VALUES (-1)")
        throw Refusal()
      }
    }
    writer.append(2)
    try await writer.flush()
    #expect(try workspace.values() == [1, 2])
    try await writer.close()
  }

  /// Runs concurrent jobs with these values, each of which inserts its own; those with negative values throw.
  private func performTogether(_ values: [Int], _ writer: OrderedWriter<Int>) async throws -> [Bool] {
    struct Refusal: Error {}
    let (mayGoOn, sink) = AsyncStream<Void>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    let first = Task {
      try await writer.perform { _ in
        sink.finish()
        gate.wait()
      }
    }
    for await _ in mayGoOn {}
    return try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
      for (index, value) in values.enumerated() {
        group.addTask {
          do {
            try await writer.perform { db in
              try db.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [value])
              if value < 0 { throw Refusal() }
            }
            return (index, true)
          } catch is Refusal {
            return (index, false)
          }
        }
      }
      try await eventually { writer.core.waits == values.count }
      gate.signal()
      try await first.value
      var outcomes = values.map { _ in false }
      for try await (index, isDone) in group { outcomes[index] = isDone }
      return outcomes
    }
  }

  @Test("commits concurrent jobs in one transaction")
  func performTogether() async throws {
    let writer = OrderedWriter.numbers(workspace)
    #expect(try await performTogether(Array(0..<20), writer) == Array(repeating: true, count: 20))
    #expect(try workspace.values().sorted() == Array(0..<20))
    #expect(writer.progress.transactions == 2)
    try await writer.close()
  }

  @Test("undoes a job that throws, and none that would have shared its transaction")
  func performTogetherThrows() async throws {
    let writer = OrderedWriter.numbers(workspace)
    #expect(try await performTogether([1, 2, -3, 4], writer) == [true, true, false, true])
    #expect(try workspace.values().sorted() == [1, 2, 4])
    writer.append(5)
    try await writer.close()
    #expect(try workspace.values().sorted() == [1, 2, 4, 5])
  }

  @Test("keeps everything while the disk is full, reports that once, and writes it once there is space")
  func diskFull() async throws {
    let failures = Collected<WorkspaceError>()
    let writer = OrderedWriter.numbers(workspace) { failures.append($0) }
    writer.append(0)
    try await writer.flush()
    try limitPages(true)
    for number in 1..<5000 { writer.append(number) }
    await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await writer.flush() }
    writer.append(5000)
    await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await writer.flush() }
    await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await writer.perform { _ in } }
    await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await writer.retry() }
    #expect(failures.all == [.full(path: workspace.path)])
    let durable = try workspace.values()
    #expect(durable == Array(0..<durable.count) && durable.count < 5001)

    try limitPages(false)
    try await writer.retry()
    #expect(writer.failure == nil)
    #expect(try workspace.values() == Array(0...5000))
    try await writer.close()
  }

  @Test("retries when it is closed, and fails if changes are left")
  func closeAfterFailure() async throws {
    let writer = OrderedWriter.numbers(workspace)
    try limitPages(true)
    for number in 0..<5000 { writer.append(number) }
    await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await writer.close() }
    #expect(writer.progress.waiting > 0)
    await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await writer.close() }

    let next = OrderedWriter.numbers(workspace)
    for number in 0..<5000 { next.append(number) }
    await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await next.flush() }
    try limitPages(false)
    try await next.close()
    #expect(try Array(workspace.values().suffix(5000)) == Array(0..<5000))
  }

  @Test("also retries when it is closed while it reports a failure")
  func closeDuringFailure() async throws {
    try limitPages(true)
    let (told, failed) = AsyncStream.makeStream(of: Void.self)
    let isClosing = DispatchSemaphore(value: 0)
    let writer = OrderedWriter.numbers(workspace) { _ in
      failed.finish()
      isClosing.wait()
    }
    for number in 0..<5000 { writer.append(number) }
    for await _ in told {}
    try limitPages(false)
    async let closing: Void = writer.close()
    // Once it accepts nothing, it knows that it is being closed.
    while writer.append(-1) { await Task.yield() }
    isClosing.signal()
    try await closing
    #expect(try workspace.values().filter { $0 >= 0 } == Array(0..<5000))
  }

  /// Returns a writer that can hold this many numbers, on a full disk, after it has failed to write some.
  private func holding(_ limit: Int, refused: Collected<Int> = Collected()) async throws -> OrderedWriter<Int> {
    let (told, failed) = AsyncStream.makeStream(of: Void.self)
    let writer = OrderedWriter.numbers(
      workspace,
      hold: OrderedWriter<Int>.Hold(limit: limit * 10, size: { _ in 10 }, onRefusal: { refused.append($0) })
    ) { _ in failed.finish() }
    try limitPages(true)
    for number in 0..<5000 { writer.append(number) }
    for await _ in told {}
    return writer
  }

  @Test(
    "with a hold keeps callers waiting while the disk is full, and writes all in order once there is space")
  func holds() async throws {
    let writer = try await holding(1_000_000)
    writer.append(5000)
    let held = writer.held
    #expect(held.changes > 0 && held.bytes == held.changes * 10)
    async let flushed: Void = writer.flushToDisk()
    async let seen = writer.perform { try Int.fetchOne($0, sql: "SELECT count(*) FROM number") }
    for _ in 0..<3 {
      await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await writer.retry() }
    }
    #expect(writer.held == held)
    #expect(try workspace.values().count == 5001 - held.changes)

    try limitPages(false)
    try await writer.retry()
    try await flushed
    #expect(try await seen == 5001)
    #expect(writer.failure == nil && writer.held == (0, 0))
    #expect(try workspace.values() == Array(0...5000))
    try await writer.close()
  }

  @Test("with a hold reruns work that could not be committed, but not work that itself fails")
  func holdsWork() async throws {
    struct Refusal: Error {}
    let (told, failed) = AsyncStream.makeStream(of: Void.self)
    let writer = OrderedWriter.numbers(
      workspace, hold: OrderedWriter<Int>.Hold(limit: 1000, size: { _ in 10 }, onRefusal: { _ in })
    ) { _ in failed.finish() }
    await #expect(throws: Refusal.self) { try await writer.perform { _ in throw Refusal() } }
    let mistake = await caught(WorkspaceError.self) {
      try await writer.perform { try $0.execute(sql: "no statement") }
    }
    #expect(mistake?.code == "workspace-io")
    #expect(writer.failure == nil)
    try limitPages(true)
    async let written: Void = writer.perform { db in
      for number in 0..<5000 { try db.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [number]) }
    }
    for await _ in told {}
    writer.append(5000)
    await #expect(throws: WorkspaceError.full(path: workspace.path)) { try await writer.retry() }
    try limitPages(false)
    try await writer.retry()
    try await written
    #expect(try workspace.values() == Array(0...5000))
    try await writer.close()
  }

  @Test("with a hold accepts no more than fits, and keeps what it has accepted")
  func holdsLimit() async throws {
    let refused = Collected<Int>()
    let writer = try await holding(5010, refused: refused)
    let room = 5010 - writer.held.changes
    for number in 5000..<5000 + room { #expect(writer.append(number)) }
    #expect(!writer.append(-1))
    #expect(refused.all == [-1])
    try limitPages(false)
    try await writer.retry()
    #expect(writer.append(5000 + room))
    try await writer.close()
    #expect(try workspace.values() == Array(0...5000 + room))
  }

  @Test("that ends holding or is closed reports to callers that nothing can be written", arguments: [false, true])
  func endsHolding(byClosing: Bool) async throws {
    let writer = try await holding(1_000_000)
    let failure = WorkspaceError.full(path: workspace.path)
    async let flushed = caught(WorkspaceError.self) { try await writer.flush() }
    async let performed = caught(WorkspaceError.self) { try await writer.perform { _ in } }
    // Both wait.
    while writer.core.waits < 2 { await Task.yield() }
    if byClosing {
      await #expect(throws: failure) { try await writer.close() }
    } else {
      writer.endHolding()
    }
    #expect(await flushed == failure)
    #expect(await performed == failure)
    await #expect(throws: failure) { try await writer.flush() }
    if byClosing { return }
    try limitPages(false)
    try await writer.close()
    #expect(try workspace.values() == Array(0..<5000))
  }

  @Test("writes what it has when it is closed, and accepts nothing afterwards")
  func close() async throws {
    let writer = OrderedWriter.numbers(workspace, delay: .seconds(10))
    for number in 0..<100 { writer.append(number) }
    try await writer.close()
    #expect(try workspace.values() == Array(0..<100))
    #expect(!writer.append(100))
    try await writer.close()
    try await writer.flush()
    await #expect(throws: WorkspaceError.closed(path: workspace.path)) { try await writer.perform { _ in } }
  }

  @Test("can be closed without having been used")
  func closeUnused() async throws {
    try await OrderedWriter.numbers(workspace).close()
  }

  @Test("writes what it has when it is merely released")
  func released() async throws {
    do {
      let writer = OrderedWriter.numbers(workspace, delay: .seconds(10))
      for number in 0..<100 { writer.append(number) }
    }
    // The next writer's transaction does not show when the first one's thread has run; wait for its effect, with a limit.
    for _ in 0..<1000 where try workspace.values().count < 100 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try workspace.values() == Array(0..<100))
  }

  @Test("prepares its connection when it begins, and writes even if that fails")
  func begin() async throws {
    struct Refusal: Error {}
    let (prepared, sink) = AsyncStream<Void>.makeStream()
    let writer = OrderedWriter<Int>(
      workspace: workspace,
      prepare: { _ in
        sink.finish()
        throw Refusal()
      },
      apply: { db, numbers in
        for number in numbers { try db.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [number]) }
      })
    writer.begin()
    for await _ in prepared {}
    writer.append(7)
    try await writer.flush()
    #expect(try workspace.values() == [7])
    try await writer.close()
    writer.begin()
    #expect(!writer.append(8))
  }
}
