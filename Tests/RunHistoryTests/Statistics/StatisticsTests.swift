import SQLite
import Testing
import Values
import Workspace

@testable import RunHistory

@Suite("Statistics")
struct StatisticsTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }
  /// Noon of a day.
  static let noon = RecordTime(microseconds: 20_000 * HistoryTallies.day + HistoryTallies.day / 2)
  static let now = noon.advanced(by: 40 * HistoryTallies.day)

  init() throws {
    fixture = try HistoryFixture()
  }

  private func day(_ number: Int) -> RecordTime { Self.noon.advanced(by: Int64(number) * HistoryTallies.day) }

  /// Records a run with one operation that takes this many milliseconds.
  @discardableResult
  private func record(
    _ pipeline: String, at time: RecordTime, took milliseconds: Int64, state: RunState = .succeeded, attempts: Int = 1
  ) -> RunID {
    let run = fixture.record(pipeline, at: time)
    let end = time.advanced(by: milliseconds * 1000)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: time))
    fixture.recorder.record(
      .operation(
        OperationRecord(
          run: run.id, ordinal: 0, name: "work", position: 0, state: state == .failed ? .failed : .succeeded,
          attempts: attempts, startedAt: time, endedAt: end)))
    fixture.recorder.record(.runEnded(run.id, state: state, reason: nil, counts: RunCounts(operations: 1), at: end))
    return run.id
  }

  private func tallied() throws -> [String] {
    try fixture.history.read {
      try String.fetchAll(
        $0,
        sql: "SELECT pipeline || ' ' || (day - 20000) FROM daily_tally WHERE tally IS NOT NULL ORDER BY day, pipeline")
    }
  }

  @Test("do not count an attempt that ended with its host as a retry")
  func endsOfHosts() async throws {
    for (pipeline, codes) in [
      ("died", ["host-died"]), ("drained", ["host-drained", "host-died"]), ("failed", ["exit"]),
    ] {
      let run = record(pipeline, at: day(0), took: 10, attempts: codes.count + 1)
      for (index, code) in codes.enumerated() {
        fixture.recorder.record(
          .attempt(
            AttemptRecord(
              run: run, ordinal: 0, number: index + 1, state: .failed, startedAt: day(0),
              error: RecordedError(code: code, message: ""))))
      }
    }
    try await fixture.recorder.flush()
    let retried = try history.statistics(now: Self.now).filter { $0.operation != nil && $0.retried > 0 }
    #expect(retried.map(\.pipeline) == ["failed"])
  }

  @Test("of tallied days equal those of the records, except for the rounding of percentiles")
  func sameAsRecords() async throws {
    var random = SeededGenerator(seed: 7)
    for index in 0..<600 {
      let time = day(index % 20).advanced(by: Int64.random(in: 0..<3_600_000_000, using: &random))
      record(
        index % 3 == 0 ? "a" : "b", at: time, took: Int64.random(in: 1...90_000, using: &random),
        state: index % 7 == 0 ? .failed : .succeeded, attempts: index % 5 == 0 ? 2 : 1)
    }
    try await fixture.recorder.flush()
    let exact = try history.statistics(now: Self.now)
    #expect(try history.tallyPastDays(now: Self.now) == 20)
    #expect(try history.tallyPastDays(now: Self.now) == 0)
    #expect(try tallied().count == 40)
    let rolled = try history.statistics(now: Self.now)
    #expect(exact.map(\.operation) == [nil, "work", nil, "work"])
    #expect(exact.map(\.count).reduce(0, +) == 1200)
    for (one, other) in zip(exact, rolled) {
      #expect(one.pipeline == other.pipeline && one.operation == other.operation)
      #expect(one.count == other.count && one.succeeded == other.succeeded && one.failed == other.failed)
      #expect(one.retried == other.retried && one.maximumMilliseconds == other.maximumMilliseconds)
      #expect(one.averageMilliseconds == other.averageMilliseconds)
      #expect(one.trend.map(\.count) == other.trend.map(\.count))
      for (left, right) in [
        (one.p50Milliseconds, other.p50Milliseconds), (one.p95Milliseconds, other.p95Milliseconds),
      ] {
        let (left, right) = (try #require(left), try #require(right))
        #expect(abs(left - right) <= left * 0.008, "\(left) and \(right)")
      }
    }
  }

  @Test("count a day again after any change of a run that was created on it")
  func invalidation() async throws {
    let first = record("a", at: day(0), took: 10)
    record("a", at: day(1), took: 20)
    record("b", at: day(1), took: 30)
    try await fixture.recorder.flush()
    try history.tallyPastDays(now: Self.now)
    #expect(try tallied() == ["a 0", "a 1", "b 1"])
    // A run of that day is added late, one is deleted, and one changes.
    record("b", at: day(1), took: 50)
    try await fixture.recorder.flush()
    #expect(try tallied() == ["a 0", "a 1"])
    #expect(try history.statistics(pipeline: "b", now: Self.now).map(\.count) == [2, 2])
    #expect(try history.prune(PruneRule(olderThan: day(1), pipeline: "a")).runs == [first])
    #expect(try tallied() == ["a 1"])
    try history.tallyPastDays(now: Self.now)
    #expect(try tallied() == ["a 1", "b 1"])
    #expect(try history.statistics(pipeline: "a", now: Self.now).map(\.count) == [1, 1])
    try history.write { try $0.execute(sql: "UPDATE run_record SET state = 'failed' WHERE pipeline = 'b'") }
    #expect(try tallied() == ["a 1"])
    #expect(try history.statistics(pipeline: "b", now: Self.now).first?.failed == 2)
  }

  @Test("do not store a tally for today or for a day with an unfinished run")
  func unfinished() async throws {
    record("a", at: day(0), took: 10)
    let run = fixture.record("a", at: day(0))
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: day(0)))
    record("a", at: Self.now, took: 10)
    try await fixture.recorder.flush()
    try history.tallyPastDays(now: Self.now)
    #expect(try tallied() == [])
    fixture.recorder.record(.runEnded(run.id, state: .succeeded, reason: nil, counts: RunCounts(), at: day(2)))
    try await fixture.recorder.flush()
    try history.tallyPastDays(now: Self.now)
    #expect(try tallied() == ["a 0"])
    #expect(try history.statistics(now: Self.now).first?.count == 3)
  }

  @Test("are exact to the requested instants, whether or not a day was tallied")
  func edges() async throws {
    for hour in 0..<240 { record("a", at: day(0).advanced(by: Int64(hour) * 3_600_000_000), took: 10) }
    try await fixture.recorder.flush()
    let (since, until) = (day(1).advanced(by: 1), day(8))
    let before = try history.statistics(since: since, until: until, now: Self.now)
    try history.tallyPastDays(now: Self.now)
    let after = try history.statistics(since: since, until: until, now: Self.now)
    #expect(before.first?.count == 7 * 24 - 1)
    #expect(before == after)
    #expect(after.first?.trend.map(\.count) == [11, 24, 24, 24, 24, 24, 24, 12])
  }

  @Test("of one pipeline equal its share of the statistics of all, in whatever order its runs were recorded")
  func onePipeline() async throws {
    for number in 0..<60 {
      record(["a", "b", "c"][number % 3], at: day(number % 4), took: Int64(number + 1), attempts: 1 + number % 2)
    }
    // Enough runs that not all runs in between are read for it.
    for number in 0..<200 { record("z", at: day(20), took: Int64(number)) }
    record("b", at: day(2), took: 1000)
    try await fixture.recorder.flush()
    let all = try history.statistics(now: Self.now)
    for name in ["a", "b", "c", "z"] {
      let alone = try history.statistics(pipeline: name, now: Self.now)
      #expect(alone.count == 2 && alone == all.filter { $0.pipeline == name })
    }
    #expect(all.map(\.count) == [20, 20, 21, 21, 20, 20, 200, 200])
  }

  @Test("have no more slices than requested, which together cover everything", arguments: [1, 2, 7, 14, 30])
  func slices(most: Int) async throws {
    for number in 0..<29 { record("a", at: day(number), took: Int64(number + 1)) }
    try await fixture.recorder.flush()
    let found = try history.statistics(slices: most, now: day(28).advanced(by: 3_600_000_000))
    #expect(found.map(\.count) == [29, 29])
    #expect(found.allSatisfy { $0.trend.count <= most && $0.trend.map(\.count).reduce(0, +) == 29 })
    #expect(found.first?.trend.last?.p50Milliseconds ?? 0 > 14)
  }

  @Test("are empty without runs, or for a time in which nothing ran")
  func nothing() async throws {
    #expect(try history.statistics().isEmpty)
    record("a", at: day(0), took: 10)
    try await fixture.recorder.flush()
    #expect(try history.statistics(since: day(1), now: Self.now).isEmpty)
    #expect(try history.statistics(since: day(1), until: day(0), now: Self.now).isEmpty)
    #expect(try history.statistics(pipeline: "b", now: Self.now).isEmpty)
    #expect(try history.statistics(operation: "work", now: Self.now).map(\.operation) == ["work"])
  }

  @Test("treat a day whose tally is invalid as not tallied")
  func damaged() async throws {
    record("a", at: day(0), took: 10)
    try await fixture.recorder.flush()
    try history.tallyPastDays(now: Self.now)
    for bytes in ["x''", "x'ff'", "x'01ff'", "x'0100ffffffffffffffffff7f'", "x'010001010000010105ffff7f'"] {
      try history.write { try $0.execute(sql: "UPDATE daily_tally SET tally = \(bytes)") }
      #expect(try history.statistics(now: Self.now).map(\.count) == [1, 1], "\(bytes)")
    }
  }

  @Test("round durations by at most 0.8 percent, and short ones not at all")
  func rounding() {
    var random = SeededGenerator(seed: 3)
    for duration in 0..<128 { #expect(DurationTally.rounded(Int64(duration)) == Int64(duration)) }
    for _ in 0..<10_000 {
      let duration = Int64.random(in: 128...(1 << 50), using: &random)
      #expect(abs(Double(DurationTally.rounded(duration) - duration)) <= Double(duration) * 0.0079)
    }
  }
}
