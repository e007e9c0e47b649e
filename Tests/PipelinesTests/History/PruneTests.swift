import Pipelines
import Testing
import Workspace

@Suite("Pruning")
struct PruneTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws {
    fixture = try HistoryFixture()
  }

  private func time(_ minutes: Int) -> RecordTime {
    HistoryFixture.start.advanced(by: Int64(minutes) * 60_000_000)
  }

  @Test("Runs that are old enough go, with everything recorded of them and the runs nested in them")
  func byAge() async throws {
    let old = try await fixture.ended(at: time(0))
    let nested = try await fixture.ended("inner", at: time(5), parent: RunRecord.Parent(run: old, operation: "x"))
    let young = try await fixture.ended("other", at: time(4))
    let rule = PruneRule(olderThan: time(3))
    let expected = PruneReport(runs: [old, nested], operations: 4, attempts: 6)
    #expect(try history.prune(rule, dryRun: true) == expected)
    #expect(try history.run(old) != nil)
    #expect(try history.prune(rule) == expected)
    #expect(try history.prune(rule) == PruneReport())
    #expect(try history.runs(RunFilter(includesNested: true)).map(\.id) == [young])
    #expect(try fixture.rows("SELECT count(*) FROM operation_record") == [[.int(2)]])
    #expect(try fixture.rows("SELECT count(*) FROM attempt_record") == [[.int(3)]])
    #expect(try fixture.rows("SELECT hash FROM definition") == [[.text("hash-of-other")]])
  }

  @Test("So many of the latest runs of each pipeline are kept")
  func byCount() async throws {
    var first: [RunID] = []
    for minute in 0..<5 { first.append(try await fixture.ended("a", at: time(minute))) }
    let second = try await fixture.ended("b", at: time(0))
    #expect(try history.prune(PruneRule(keep: 2), dryRun: true).runs == [first[2], first[1], first[0]])
    #expect(try history.prune(PruneRule(olderThan: time(1), keep: 2), dryRun: true).runs == [first[0]])
    #expect(try history.prune(PruneRule(keep: 0, pipeline: "b"), dryRun: true).runs == [second])
    #expect(try history.prune(PruneRule(), dryRun: true).runs == [])
    #expect(try history.prune(PruneRule(keep: 2)).runs.count == 3)
    #expect(try history.runs().count == 3)
  }

  @Test("Runs that go on are kept, interrupted ones are not")
  func running() async throws {
    let run = fixture.record(at: time(0))
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: time(0)))
    let dead = try await fixture.abandoned(at: time(0))
    #expect(try history.prune(PruneRule(olderThan: time(9))).runs == [dead])
    #expect(try history.runs().map(\.id) == [run.id])
  }

  @Test("A run whose result file is in use by a later run is kept")
  func reusedResult() async throws {
    let source = try await fixture.ended(at: time(0))
    let user = fixture.record(at: time(5))
    fixture.recorder.record(.runCreated(user, definition: ""))
    fixture.recorder.record(
      .operation(
        OperationRecord(
          run: user.id, ordinal: 0, name: "fetch", position: 0, state: .reused,
          result: .file(path: "results/\(source)/fetch", size: 9), reusedFrom: source)))
    fixture.recorder.record(.runEnded(user.id, state: .succeeded, reason: nil, counts: RunCounts(), at: time(6)))
    try await fixture.recorder.flush()
    #expect(try history.prune(PruneRule(olderThan: time(3))).runs == [])
    #expect(try history.prune(PruneRule(olderThan: time(9))).runs == [user.id, source])
  }
}
