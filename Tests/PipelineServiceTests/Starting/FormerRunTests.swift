import PipelineEngine
import RunHistory
import Testing

@testable import PipelineService

@Suite("Which run is retried or resumed") struct FormerRunTests {
  private let fixture: HistoryFixture
  private var history: History { fixture.history }

  init() throws { fixture = try HistoryFixture() }

  private func later(_ seconds: Int64) -> RecordTime { HistoryFixture.start.advanced(by: seconds * 1_000_000) }

  @Test("Without a name, the latest that did not succeed is retried")
  func latestToRetry() async throws {
    #expect(throws: RunStartError.self) { try RetriedRun(named: nil, in: history) }
    try await fixture.ended(at: later(0), state: .failed)
    let failed = try await fixture.ended(at: later(1), state: .failed)
    try await fixture.ended(at: later(2), state: .succeeded)
    #expect(try RetriedRun(named: nil, in: history).record.id == failed)
    #expect(try RetriedRun(named: "last", in: history).record.state == .succeeded)
  }

  @Test("Without a name, a run is left out that a retry of it, or of its retry, has made good")
  func madeGood() async throws {
    let older = try await fixture.ended(at: later(0), state: .failed)
    let first = try await fixture.ended(at: later(1), state: .failed)
    let second = try await fixture.ended(at: later(2), state: .failed, retrying: first)
    #expect(try RetriedRun(named: nil, in: history).record.id == second)
    try await fixture.ended(at: later(3), state: .succeeded, retrying: second)
    #expect(try RetriedRun(named: nil, in: history).record.id == older)
  }

  @Test("Without a name, the latest that was interrupted is resumed")
  func latestToResume() async throws {
    let error = #expect(throws: RunStartError.self) { try ResumedRun(named: nil, in: history) }
    #expect(error?.code == "nothing-to-resume")
    let abandoned = try await fixture.abandoned(at: later(0))
    try await fixture.ended(at: later(1), state: .failed)
    #expect(try ResumedRun(named: nil, in: history).record.id == abandoned)
  }

  @Test("A run that goes on is neither retried nor resumed")
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

  @Test("A run that has ended by itself is not resumed", arguments: [RunState.failed, .cancelled, .succeeded])
  func ended(state: RunState) async throws {
    let id = try await fixture.ended(state: state)
    let error = #expect(throws: RunStartError.self) { try ResumedRun(named: id.text, in: history) }
    #expect(error?.code == "run-\(state.rawValue)")
    #expect(error?.description.contains("penstock retry") == (state != .succeeded))
  }

  @Test("A retry uses the file as it is now, unless it is gone or the recorded definition is asked for")
  func definition() throws {
    var run = fixture.record()
    #expect(RetriedRun.definition(of: run, wantsRecorded: false) { _ in true } == .file("/p/digest.yaml"))
    #expect(RetriedRun.definition(of: run, wantsRecorded: true) { _ in true } == .recorded)
    #expect(RetriedRun.definition(of: run, wantsRecorded: false) { _ in false } == .recorded)
    run.path = nil
    #expect(RetriedRun.definition(of: run, wantsRecorded: false) { _ in true } == .recorded)
  }

  @Test("A run of which nothing was touched is said to be interrupted still; other errors stay as they are")
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
