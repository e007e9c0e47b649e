import Foundation
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("Attempts of a resumed run")
struct ResumedAttemptTests {
  @Test(
    "a nested pipeline that failed is retried, and not reused from its own previous attempt", arguments: Door.allCases
  )
  func nested(door: Door) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["broken": [3]], by: door))
    try "operations: [{ name: b, run: broken }]".write(
      toFile: host.directory + "/nested.yaml", atomically: true, encoding: .utf8)
    let engine = try host.engine("operations: [{ name: a, pipeline: nested.yaml, retry: { limit: 1 } }]")
    var run = await engine.record
    host.services.recorder.record(.runCreated(run, definition: ""))
    try await host.services.recorder.flush()
    run.state = .interrupted
    let recorded = RecordedRun(run: run, definition: "", operations: [], attempts: [], approvals: [])
    let outcome = try await Task(executorPreference: host.loop) {
      try await engine.run(after: FormerRuns(resumed: recorded))
    }.value
    #expect(outcome.run.state == .succeeded)
    #expect(try host.services.history.attempts(of: run.id).map(\.state) == [.failed, .succeeded])
    await host.close()
  }

  @Test(
    "an operation that was cancelled with its run runs again, but not one cancelled for another reason",
    arguments: ["run-cancelled", "run-timeout", "dependency-cancelled"], Door.allCases)
  func cancelled(reason: String, door: Door) async throws {
    let executor = ScriptedExecutor(by: door)
    let host = try EngineTestHost(executor: executor)
    let engine = try host.engine("operations: [{ name: a, run: x }]")
    var run = await engine.record
    host.services.recorder.record(.runCreated(run, definition: ""))
    try await host.services.recorder.flush()
    run.state = .interrupted
    let operation = OperationRecord(
      run: run.id, ordinal: 0, name: "a", position: 0, state: .cancelled, reason: reason)
    let recorded = RecordedRun(run: run, definition: "", operations: [operation], attempts: [], approvals: [])
    let outcome = try await Task(executorPreference: host.loop) {
      try await engine.run(after: FormerRuns(resumed: recorded))
    }.value
    let isOfRun = reason.hasPrefix("run-")
    #expect(executor.commands == (isOfRun ? ["x"] : []))
    #expect(outcome.run.state == (isOfRun ? .succeeded : .failed))
    await host.close()
  }

  @Test("what former hosts recorded of an attempt counts if it ended by itself")
  func former() {
    func attempt(_ number: Int, _ state: OperationState, end: Int64?) -> AttemptRecord {
      AttemptRecord(
        run: .generate(), ordinal: 0, number: number, state: state, startedAt: RecordTime(microseconds: 1),
        endedAt: end.map(RecordTime.init(microseconds:)))
    }
    var progress = FormerProgress()
    progress.note(attempt(2, .failed, end: 20))
    progress.note(attempt(1, .failed, end: 10))
    progress.note(attempt(3, .running, end: nil))
    #expect(progress.endedAttempts == 2)
    #expect(progress.latestEnd == RecordTime(microseconds: 20))
  }

  @Test("a wait that a former host began continues in the next wait of its kind, once") func waits() async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(), isLent: true)
    let due = RecordTime(microseconds: 60)
    let wait = RecordedWait(.retry(OperationReason.Retry(attempt: 1, due: due)))
    let engine = try host.engine("operations: [{ name: a, run: x }]")
    #expect(await engine.dues(of: wait, taken: [.specification, .time, .retry, .retry]) == [nil, nil, due, nil])
    await host.close()
  }
}

extension RunEngine {
  /// The record of the run.
  fileprivate var record: RunRecord { run.recorder.run }

  /// Returns when the wait of a former host ends that the first operation takes for each of these kinds.
  fileprivate func dues(of wait: RecordedWait?, taken kinds: [RecordedWait.Kind]) -> [RecordTime?] {
    run.state.former[0] = FormerProgress(wait: wait)
    return kinds.map { run.state.takeFormerWait(of: 0, for: $0)?.due }
  }
}
