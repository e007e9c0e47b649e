import Testing
import Workspace

@testable import RunHistory

@Suite("Runs by the instant that they stand for")
struct InstantTests {
  private let fixture: HistoryFixture

  init() throws { fixture = try HistoryFixture() }

  private let first = RecordTime(microseconds: 1_790_000_000_000_000)
  private var second: RecordTime { first.advanced(by: 1) }

  @discardableResult
  private func record(
    _ pipeline: String = "digest", for instant: RecordTime?, state: RunState = .succeeded,
    owner: ProcessIdentity = .current, parent: RunRecord.Parent? = nil, selection: RunOptions.Selection = .all
  ) async throws -> RunID {
    var run = fixture.record(pipeline, state: state, owner: owner, parent: parent)
    run.instant = instant
    run.origin.selection = selection
    fixture.recorder.record(.runCreated(run, definition: ""))
    try await fixture.recorder.flush()
    return run.id
  }

  @Test("The latest whole run for an instant counts; partial and nested runs do not")
  func latest() async throws {
    try await record(for: first, state: .failed)
    let latest = try await record(for: first)
    let other = try await record(for: second, state: .cancelled)
    try await record("another", for: first, state: .failed)
    try await record(for: nil)
    try await record(for: second.advanced(by: 1))
    try await record(for: first, parent: RunRecord.Parent(run: .generate(), operation: "deploy"))
    try await record(for: first, state: .failed, selection: .only(operation: "a"))
    let runs = try fixture.history.latestRuns(of: "digest", standingFor: first...second)
    #expect(runs.mapValues(\.id) == [first: latest, second: other])
    #expect(try fixture.history.latestRuns(of: "nothing", standingFor: first...second).isEmpty)
  }

  @Test("A run whose process no longer exists is interrupted")
  func interrupted() async throws {
    try await record(for: first, state: .running, owner: HistoryFixture.deadOwner)
    #expect(try fixture.history.latestRuns(of: "digest", standingFor: first...first)[first]?.state == .interrupted)
  }

  @Test("The lookup uses the index on pipelines and instants")
  func plan() throws {
    let plan = try fixture.history.plan(
      of: StoredRun.self,
      where: StoredRun.pipeline == "digest" && StoredRun.instant >= 1 && StoredRun.instant <= 2
        && StoredRun.parent.isNil(),
      orderBy: [StoredRun.instant.ascending, StoredRun.number.ascending])
    #expect(plan.first == "SEARCH run_record USING INDEX run_by_instant (pipeline=? AND instant>? AND instant<?)")
    #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }
}
