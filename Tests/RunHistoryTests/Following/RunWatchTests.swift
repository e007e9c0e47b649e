import Testing
import Workspace

@testable import RunHistory

@Suite("Watching runs")
struct RunWatchTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws {
    fixture = try HistoryFixture()
  }

  private func begin(_ pipeline: String = "digest", owner: ProcessIdentity = .current) async throws -> RunID {
    let run = fixture.record(pipeline, owner: owner)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    try await fixture.recorder.flush()
    return run.id
  }

  private func end(_ run: RunID, _ state: RunState = .succeeded) async throws {
    fixture.recorder.record(.runEnded(run, state: state, reason: nil, counts: RunCounts(), at: HistoryFixture.start))
    try await fixture.recorder.flush()
  }

  private func texts(_ runs: [RunRecord]) -> [String] { runs.map { "\($0.id.text) \($0.state.rawValue)" } }

  @Test("reports active runs first, then each beginning and each end, once")
  func changes() async throws {
    try await fixture.ended()
    let going = try await begin()
    var watch = RunWatch()
    #expect(texts(try watch.changes(in: history)) == ["\(going) running"])
    #expect(texts(try watch.changes(in: history)) == [])
    let next = try await begin()
    try await end(going, .failed)
    #expect(texts(try watch.changes(in: history)) == ["\(going) failed", "\(next) running"])
    let short = try await fixture.ended()
    #expect(texts(try watch.changes(in: history)) == ["\(short) running", "\(short) succeeded"])
    try await end(next)
    #expect(texts(try watch.changes(in: history)) == ["\(next) succeeded"])
    #expect(texts(try watch.changes(in: history)) == [])
  }

  @Test("reports runs that are interrupted and runs that are resumed")
  func interrupted() async throws {
    var watch = RunWatch()
    _ = try await fixture.abandoned()
    // Its host died before the watch started.
    #expect(texts(try watch.changes(in: history)) == [])
    let run = try await begin()
    #expect(texts(try watch.changes(in: history)) == ["\(run) running"])
    try history.write {
      try $0.execute(sql: "UPDATE run_record SET process_started = 1 WHERE id = ?", arguments: [run.text])
    }
    #expect(texts(try watch.changes(in: history)) == ["\(run) interrupted"])
    #expect(texts(try watch.changes(in: history)) == [])
    #expect(try await fixture.recorder.claim(run) != nil)
    #expect(texts(try watch.changes(in: history)) == ["\(run) running"])
  }

  @Test("reports when a queued run begins, and when one ends without having begun")
  func queued() async throws {
    var watch = RunWatch()
    var running = RunWatch(RunFilter(condition: try RunCondition.parse("state == 'running'")))
    let run = fixture.record()
    let other = fixture.record()
    for run in [run, other] { fixture.recorder.record(.runCreated(run, definition: "")) }
    try await fixture.recorder.flush()
    #expect(texts(try watch.changes(in: history)) == ["\(run.id) queued", "\(other.id) queued"])
    #expect(try running.changes(in: history).isEmpty)
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    try await end(other.id, .cancelled)
    #expect(texts(try watch.changes(in: history)) == ["\(run.id) running", "\(other.id) cancelled"])
    #expect(texts(try running.changes(in: history)) == ["\(run.id) running"])
    try await end(run.id)
    #expect(texts(try watch.changes(in: history)) == ["\(run.id) succeeded"])
    #expect(try running.changes(in: history).isEmpty)
  }

  @Test("reports the end of a run that ended just after its record was read, when its process no longer existed")
  func endedMeanwhile() async throws {
    var watch = RunWatch()
    // What a reader sees if the process ends while the record is being read.
    let run = fixture.record(owner: HistoryFixture.deadOwner)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    try await fixture.recorder.flush()
    #expect(try watch.changes(in: history).isEmpty)
    #expect(try watch.changes(in: history).isEmpty)
    try await end(run.id)
    #expect(texts(try watch.changes(in: history)) == ["\(run.id) running", "\(run.id) succeeded"])
    #expect(try watch.changes(in: history).isEmpty)
  }

  @Test("omits runs that the filter does not match")
  func filtered() async throws {
    var failures = RunWatch(RunFilter(condition: try RunCondition.parse("state == 'failed'")))
    var named = RunWatch(RunFilter(pipeline: "d*", states: [.failed]))
    #expect(try failures.changes(in: history).isEmpty && named.changes(in: history).isEmpty)
    let failed = try await fixture.ended("deploy", state: .failed)
    let good = try await fixture.ended("deploy")
    try await fixture.ended("other", state: .failed, parent: RunRecord.Parent(run: good, operation: "x"))
    #expect(texts(try failures.changes(in: history)) == ["\(failed) failed"])
    #expect(texts(try named.changes(in: history)) == ["\(failed) running", "\(failed) failed", "\(good) running"])
  }
}
