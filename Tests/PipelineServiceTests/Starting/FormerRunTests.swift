import PipelineEngine
import RunHistory
import Testing

@testable import PipelineService

@Suite("The run to retry or resume") struct FormerRunTests {
  private let fixture: HistoryFixture
  private var history: History { fixture.history }

  init() throws { fixture = try HistoryFixture() }

  private func later(_ seconds: Int64) -> RecordTime { HistoryFixture.start.advanced(by: seconds * 1_000_000) }

  /// Records an ended run, with what distinguishes it from others of its pipeline.
  private func ended(
    _ seconds: Int64, _ state: RunState, of pipeline: String = "digest", params: String = "{}",
    at instant: RecordTime? = nil, event: String? = nil, canceller: RunCanceller? = nil, retrying source: RunID? = nil,
    selection: RunOptions.Selection = .all
  ) async throws -> RunID {
    var run = fixture.record(pipeline, at: later(seconds), state: state)
    (run.params, run.instant, run.event, run.canceller) = (params, instant, event, canceller)
    run.origin.selection = selection
    if let source {
      run.trigger = .retry
      run.origin.source = source
      run.instant = try history.run(source).flatMap { $0.instant ?? $0.startedAt }
    }
    run.startedAt = later(seconds)
    run.endedAt = later(seconds)
    fixture.recorder.record(.runCreated(run, definition: ""))
    try await fixture.recorder.flush()
    return run.id
  }

  /// Returns the short id for display: runs that begin within milliseconds need longer ids.
  private func short(_ run: RunID) -> String { RunReference(history: history).short(run) }

  private func retried(of pipeline: String? = nil) throws -> RunID? {
    do {
      return try RetriedRun(named: nil, of: pipeline, in: history).record.id
    } catch let error as RunStartError {
      #expect(error.code == "nothing-to-retry")
      return nil
    }
  }

  @Test(
    "Without a name, the latest failed run is retried even if other pipelines have run since, and the choice is reported"
  )
  func latestToRetry() async throws {
    #expect(try retried() == nil)
    _ = try await ended(0, .failed, of: "older")
    let failed = try await ended(1, .failed)
    let alone = try RetriedRun(named: nil, in: history)
    #expect(alone.record.id == failed)
    #expect(alone.choice?.hasPrefix("run \(short(failed)) of 'digest', which failed ") == true)
    #expect(alone.choice?.contains("latest") == false)
    let latest = try await ended(2, .succeeded, of: "report")
    let former = try RetriedRun(named: nil, in: history)
    #expect(former.record.id == failed)
    #expect(former.choice?.hasSuffix(" (the latest run, \(short(latest)) of 'report', succeeded)") == true)
    let named = try RetriedRun(named: "last", in: history)
    #expect(named.record.state == .succeeded && named.choice == nil)
  }

  @Test("Without a name, the runs can be restricted to one pipeline")
  func pipeline() async throws {
    let digest = try await ended(0, .failed)
    let other = try await ended(1, .failed, of: "report")
    #expect(try retried() == other)
    #expect(try retried(of: "digest") == digest)
    #expect(try retried(of: "dig*") == digest)
    let error = #expect(throws: RunStartError.self) { try RetriedRun(named: nil, of: "digset", in: history) }
    #expect(error?.code == "no-run-of-pipeline")
    #expect(error?.description.hasSuffix("; did you mean 'digest'?") == true)
  }

  @Test("Without a name, a run is skipped if a retry of it, or of its retry, has repaired it")
  func repairedByRetry() async throws {
    let older = try await ended(0, .failed, params: "{\"n\":1}")
    let first = try await ended(1, .failed)
    let second = try await ended(2, .failed, retrying: first)
    #expect(try retried() == second)
    _ = try await ended(3, .succeeded, retrying: second)
    #expect(try retried() == older)
  }

  @Test("Without a name, a run is skipped if an equivalent run has repaired it")
  func repairedByOther() async throws {
    let failed = try await ended(0, .failed)
    let again = try await ended(1, .failed, retrying: failed)
    _ = try await ended(2, .succeeded, of: "report")
    _ = try await ended(3, .succeeded, params: "{\"n\":1}")
    _ = try await ended(4, .succeeded, at: later(-60))
    _ = try await ended(5, .succeeded, event: "{}")
    _ = try await ended(6, .succeeded, selection: .from(operation: "a"))
    #expect(try retried() == again)
    _ = try await ended(7, .succeeded)
    #expect(try retried() == nil)
  }

  @Test("Without a name, a run for an instant is repaired only by one for the same instant")
  func repairedInstant() async throws {
    let failed = try await ended(0, .failed, at: later(-60))
    _ = try await ended(1, .succeeded)
    _ = try await ended(2, .succeeded, at: later(-30))
    #expect(try retried() == failed)
    let choice = try RetriedRun(named: nil, in: history).choice
    #expect(
      choice?.hasPrefix("run \(short(failed)) of 'digest' for \(ClockText.dateAndTime(later(-60))), which failed ")
        == true)
    _ = try await ended(3, .succeeded, at: later(-60))
    #expect(try retried() == nil)
  }

  @Test("Without a name, a retry of an equivalent run repairs a run")
  func repairedByRetryOfOther() async throws {
    _ = try await ended(0, .failed)
    let second = try await ended(1, .failed)
    _ = try await ended(2, .succeeded, retrying: second)
    #expect(try retried() == nil)
  }

  @Test(
    "Without a name, a run that a person cancelled is skipped",
    arguments: [
      (RunCanceller(who: "ada", means: .terminal), false), (RunCanceller(who: "ada", means: .command), false),
      (RunCanceller(means: .kill), false), (RunCanceller(means: .signal("SIGINT")), false),
      (RunCanceller(means: .overlap), false), (RunCanceller(means: .condition), false), (nil, false),
      (RunCanceller(means: .signal("SIGTERM")), true), (RunCanceller(means: .signal("SIGHUP")), true),
    ] as [(RunCanceller?, Bool)])
  func cancelled(canceller: RunCanceller?, isTaken: Bool) async throws {
    let run = try await ended(0, .cancelled, canceller: canceller)
    #expect(try retried() == (isTaken ? run : nil))
    guard !isTaken else { return }
    let error = #expect(throws: RunStartError.self) { try RetriedRun(named: nil, in: history) }
    #expect(
      error?.description.hasSuffix(
        "Run \(short(run)) of 'digest' was \(canceller?.words ?? "cancelled"); `penstock retry \(short(run))` runs it again"
      )
        == true)
    #expect(try RetriedRun(named: run.text, in: history).record.id == run)
  }

  @Test("Without a name, the latest interrupted run is resumed")
  func latestToResume() async throws {
    let error = #expect(throws: RunStartError.self) { try ResumedRun(named: nil, in: history) }
    #expect(error?.code == "nothing-to-resume")
    let abandoned = try await fixture.abandoned(at: later(0))
    try await fixture.ended(at: later(1), state: .failed)
    #expect(try ResumedRun(named: nil, in: history).record.id == abandoned)
  }

  @Test("An active run is neither retried nor resumed")
  func goingOn() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    try await fixture.recorder.flush()
    for attempt in [
      { _ = try RetriedRun(named: run.id.text, in: history) }, { _ = try ResumedRun(named: run.id.text, in: history) },
    ] {
      let error = #expect(throws: RunStartError.self) { try attempt() }
      #expect(error?.code == "run-running")
      #expect(error?.description.contains("is running in process \(run.owner.pid) on box") == true)
    }
  }

  @Test(
    "A run that ended without an interruption is not resumed", arguments: [RunState.failed, .cancelled, .succeeded])
  func ended(state: RunState) async throws {
    let id = try await fixture.ended(state: state)
    let error = #expect(throws: RunStartError.self) { try ResumedRun(named: id.text, in: history) }
    #expect(error?.code == "run-\(state.rawValue)")
    #expect(error?.description.contains("penstock retry") == (state != .succeeded))
  }

  @Test("A retry uses the current file, unless it no longer exists or the recorded definition is requested")
  func definition() throws {
    var run = fixture.record()
    #expect(RetriedRun.definition(of: run, wantsRecorded: false) { _ in true } == .file("/p/digest.yaml"))
    #expect(RetriedRun.definition(of: run, wantsRecorded: true) { _ in true } == .recorded)
    #expect(RetriedRun.definition(of: run, wantsRecorded: false) { _ in false } == .recorded)
    run.path = nil
    #expect(RetriedRun.definition(of: run, wantsRecorded: false) { _ in true } == .recorded)
  }

  @Test("A run that was left untouched is reported as still interrupted; other errors are unchanged")
  func stillInterrupted() async throws {
    _ = try await fixture.abandoned()
    let run = try ResumedRun(named: nil, in: history)
    let secrets = EngineError.secrets([UnreadableSecret(name: "token", reason: "it is not set")])
    let error = try #require(run.error(for: secrets) as? RunStartError)
    #expect(error.code == "secret-unavailable")
    #expect(error.description.hasSuffix("fix this and run `penstock resume \(run.short)` again"))
    #expect(run.error(for: .history("full")) as? EngineError == .history("full"))
  }
}
