import Foundation
import RunHistory
import SQLite
import Synchronization
import Testing
import Workspace

@Suite("Queued runs")
struct QueueTurnsTests {
  let fixture: HistoryFixture
  let start = HistoryFixture.start

  init() throws { fixture = try HistoryFixture() }

  @discardableResult
  private func queue(_ pipeline: String, priority: Int = 0, in queue: String = "default") async throws -> RunID {
    let run = QueuedRun(
      record: fixture.record(pipeline), definition: "name: \(pipeline)", queue: queue, priority: priority)
    _ = try await fixture.recorder.admit(
      OccasionRequest(Occasion(pipeline: pipeline, cause: .request, askedAt: start), run: run))
    return run.record.id
  }

  private func take(
    _ places: QueueTurns.Places, held: Set<String> = [], single: Set<String> = []
  ) async throws -> [QueueTurns.Taken] {
    try await fixture.recorder.takeQueued(places, held: held, single: single, host: "box", at: start)
  }

  private func order(_ count: Int = 100, held: Set<String> = [], single: Set<String> = []) async throws -> [String] {
    return try await take(QueueTurns.Places(total: count), held: held, single: single).map(\.run.pipeline)
  }

  @Test("of one pipeline begin by age")
  func age() async throws {
    let runs = [try await queue("a"), try await queue("a"), try await queue("a")]
    #expect(try await take(QueueTurns.Places(total: 2)).map(\.run.id) == Array(runs[..<2]))
    #expect(try await take(QueueTurns.Places(total: 2)).map(\.run.id) == [runs[2]])
    #expect(try await take(QueueTurns.Places(total: 2)).isEmpty)
  }

  @Test("begin in turns between pipelines, also across successive takes")
  func turns() async throws {
    for _ in 0..<5 { try await queue("a") }
    try await queue("b")
    for _ in 0..<2 { try await queue("c") }
    var order: [String] = []
    for _ in 0..<8 { order += try await take(QueueTurns.Places(total: 1)).map(\.run.pipeline) }
    #expect(order == ["a", "b", "c", "a", "c", "a", "a", "a"])
  }

  @Test("with a higher priority begin first")
  func priority() async throws {
    try await queue("a")
    try await queue("b", priority: 5)
    try await queue("c", priority: -5)
    try await queue("a", priority: 5)
    #expect(try await order() == ["a", "b", "a", "c"])
  }

  @Test("are limited by their queues, and no queue holds up another")
  func queues() async throws {
    for _ in 0..<3 { try await queue("a", priority: 9, in: "heavy") }
    for _ in 0..<3 { try await queue("b") }
    let taken = try await take(QueueTurns.Places(total: 3, queues: ["heavy": 1]))
    #expect(taken.map(\.queue) == ["heavy", "default", "default"])
    let none = try await take(QueueTurns.Places(total: 3, queues: ["heavy": 0, "default": 0]))
    #expect(none.isEmpty)
  }

  @Test("begin in turns between the pipelines of all queues, also across successive takes")
  func turnsBetweenQueues() async throws {
    for _ in 0..<4 { try await queue("a") }
    for _ in 0..<2 { try await queue("b") }
    for pipeline in ["c", "d", "c"] { try await queue(pipeline, in: "heavy") }
    var order: [String] = []
    for _ in 0..<9 { order += try await take(QueueTurns.Places(total: 1)).map(\.run.pipeline) }
    #expect(order == ["a", "b", "c", "d", "a", "b", "c", "a", "a"])
  }

  @Test("of a pipeline do not precede those of another queue that waits longer for its turn")
  func newRuns() async throws {
    for _ in 0..<5 { try await queue("a") }
    var order: [String] = []
    // Whenever it has begun one, it requests the next.
    for _ in 0..<3 {
      try await queue("b", in: "heavy")
      order += try await take(QueueTurns.Places(total: 2)).map(\.run.pipeline)
    }
    #expect(order == ["a", "b", "a", "b", "a", "b"])
  }

  @Test("of a closed queue do not count as turns of others")
  func closed() async throws {
    for _ in 0..<3 { try await queue("a") }
    for _ in 0..<3 { try await queue("b", in: "heavy") }
    #expect(try await take(QueueTurns.Places(total: 2, queues: ["heavy": 0])).map(\.run.pipeline) == ["a", "a"])
    #expect(try await order(4) == ["b", "a", "b", "b"])
  }

  @Test("leave the latest turns of 100,000 pipelines behind")
  func trimmedTurns() async throws {
    try await fixture.recorder.perform { db in
      try db.execute(
        sql: """
          WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 100010)
          INSERT INTO pipeline_turn (pipeline, priority, turn) SELECT 'p' || n, 0, n FROM counter
          """)
    }
    try fixture.history.trimOccasions(at: start)
    let (count, first) = try await fixture.recorder.perform { db in
      let row = try Row.fetchOne(db, sql: "SELECT count(*), min(turn) FROM pipeline_turn")
      return (row?[0] as Int?, row?[1] as Int?)
    }
    #expect(count == 100_000)
    #expect(first == 11)
  }

  @Test("of a held pipeline wait, and only the first begins of a pipeline that runs one at a time")
  func held() async throws {
    for pipeline in ["a", "a", "b", "b", "c"] { try await queue(pipeline) }
    #expect(try await order(held: ["a"], single: ["b"]) == ["b", "c"])
    #expect(try await order() == ["a", "b", "a"])
  }

  @Test("do not notify observers when none of them is taken")
  func silence() async throws {
    try await queue("a")
    let heard = Atomic(0)
    let subscriptions = try fixture.history.followQueue { heard.add(1, ordering: .sequentiallyConsistent) }
    // Subscribers are notified before the change returns; they may also be notified once at the start.
    try await fixture.workspace.performChanges([]) { _ in }
    let first = heard.load(ordering: .sequentiallyConsistent)
    for _ in 0..<3 { #expect(try await take(QueueTurns.Places(total: 1), held: ["a"]).isEmpty) }
    try await fixture.workspace.performChanges([]) { _ in }
    #expect(heard.load(ordering: .sequentiallyConsistent) == first)
    #expect(try await take(QueueTurns.Places(total: 1)).count == 1)
    try await fixture.workspace.performChanges([]) { _ in }
    #expect(heard.load(ordering: .sequentiallyConsistent) > first)
    withExtendedLifetime(subscriptions) {}
  }

  @Test("belong to this process once taken, and are recorded as its runs")
  func owned() async throws {
    let run = try await queue("a")
    let taken = try #require(try await take(QueueTurns.Places(total: 1)).first)
    #expect(taken.run.owner == .current)
    #expect(taken.definition == "name: a")
    #expect(try fixture.history.queue().map(\.isTaken) == [true])
    fixture.recorder.record(.runStarted(run, at: start))
    try await fixture.recorder.flush()
    #expect(try fixture.history.run(run)?.state == .running)
    #expect(try fixture.history.queue().isEmpty)
  }

  @Test("that were taken but had not begun when their host ended are queued again")
  func givenBack() async throws {
    let run = try await queue("a")
    _ = try await take(QueueTurns.Places(total: 1))
    try await becomeOfDeadHost(run)
    #expect(try fixture.history.markInterrupted().isEmpty)
    let record = try #require(try fixture.history.run(run))
    #expect(record.isUnowned)
    #expect(try await take(QueueTurns.Places(total: 1)).map(\.run.id) == [run])
  }

  @Test("that had begun when their host ended are interrupted")
  func interrupted() async throws {
    let run = try await queue("a")
    _ = try await take(QueueTurns.Places(total: 1))
    fixture.recorder.record(.runStarted(run, at: start))
    try await fixture.recorder.flush()
    try await becomeOfDeadHost(run)
    #expect(try fixture.history.markInterrupted() == [run])
    #expect(try fixture.history.interruptedRuns().map(\.id) == [run])
    #expect(try await take(QueueTurns.Places(total: 1)).isEmpty)
  }

  private func becomeOfDeadHost(_ run: RunID) async throws {
    let dead = HistoryFixture.deadOwner
    try await fixture.recorder.perform { db in
      try db.execute(
        sql: "UPDATE run_record SET pid = ?, process_started = ? WHERE id = ?",
        arguments: [dead.pid, dead.started, run.text])
    }
  }
}
