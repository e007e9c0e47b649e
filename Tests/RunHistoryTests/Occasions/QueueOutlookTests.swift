import RunHistory
import Testing
import Workspace

@Suite("The displayed queue order")
struct QueueOutlookTests {
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

  @discardableResult
  private func take(
    _ places: QueueTurns.Places, held: Set<String> = [], single: Set<String> = []
  ) async throws -> [RunID] {
    try await fixture.recorder.takeQueued(places, held: held, single: single, host: "box", at: start).map(\.run.id)
  }

  private func shown(_ change: (inout QueueOutlook) -> Void = { _ in }) throws -> [QueuePlace] {
    var outlook = QueueOutlook()
    change(&outlook)
    return try fixture.history.queueInOrder { _ in outlook }
  }

  @Test("takes into account which pipeline had the last turn")
  func latest() async throws {
    for pipeline in ["a", "a", "b", "c", "b"] { try await queue(pipeline) }
    #expect(try shown().map(\.pipeline) == ["a", "b", "c", "a", "b"])
    try await take(QueueTurns.Places(total: 1))
    // The taken run is still listed because it has not begun.
    #expect(try shown().map(\.pipeline) == ["a", "b", "c", "a", "b"])
    #expect(try shown().map(\.isTaken) == [true, false, false, false, false])
    try await take(QueueTurns.Places(total: 1))
    #expect(try shown().map(\.pipeline) == ["a", "b", "c", "a", "b"])
  }

  @Test("is the order in which runs are taken", arguments: 0..<20 as Range<UInt64>)
  func same(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    for _ in 0..<5 {
      for _ in 0..<number(12) {
        let pipeline = number(6)
        try await queue(
          "p\(pipeline)", priority: pipeline == 5 ? number(3) - 1 : 0, in: pipeline % 2 == 0 ? "default" : "heavy")
      }
      let expected = try shown().filter { !$0.isTaken }.prefix(5).map(\.run)
      var taken: [RunID] = []
      for _ in 0..<5 { taken += try await take(QueueTurns.Places(total: 1)) }
      #expect(taken == expected)
    }
  }

  @Test("makes further runs of a pipeline with one run at a time wait, but not the runs behind them")
  func single() async throws {
    for _ in 0..<3 { try await queue("alone", priority: 1) }
    for _ in 0..<2 { try await queue("other") }
    func shown(_ places: Int) throws -> [String] {
      try self.shown {
        $0.limits.total = places
        $0.single = ["alone"]
      }.map(\.pipeline)
    }
    #expect(try shown(1) == ["alone", "alone", "alone", "other", "other"])
    #expect(try shown(2) == ["alone", "other", "alone", "other", "alone"])
    #expect(
      try self.shown { ($0.single, $0.resting) = (["alone"], ["alone"]) }.map(\.pipeline).prefix(2) == [
        "other", "other",
      ])
  }

  @Test("respects the limits of queues, and lists paused pipelines last")
  func limits() async throws {
    for _ in 0..<3 { try await queue("h", priority: 1, in: "heavy") }
    for _ in 0..<3 { try await queue("d") }
    try await queue("p", priority: 9)
    let going = PlacedRun(run: fixture.record("h").id, pipeline: "h", queue: "heavy")
    let order = try shown {
      $0.limits = QueueTurns.Places(total: 2, queues: ["heavy": 1])
      $0.going = [going]
      $0.held = ["p"]
    }
    #expect(order.map(\.pipeline) == ["d", "h", "d", "h", "d", "h", "p"])
  }
}
