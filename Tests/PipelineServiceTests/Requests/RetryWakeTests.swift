import RunHistory
import Testing

@testable import PipelineService

@Suite("A request to wake a waiting retry") struct RetryWakeTests {
  private let fixture: HistoryFixture
  private var history: History { fixture.history }

  init() throws { fixture = try HistoryFixture() }

  /// Returns an active run with these operations and their reasons.
  private func running(
    _ operations: [(name: String, state: OperationState, reason: String?, detail: String?)],
    parent: RunRecord.Parent? = nil
  ) async throws -> RunRecord {
    let run = fixture.record(parent: parent)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    for (ordinal, operation) in operations.enumerated() {
      fixture.recorder.record(
        .operation(
          OperationRecord(
            run: run.id, ordinal: ordinal, name: operation.name, position: ordinal, state: operation.state,
            reason: operation.reason, detail: operation.detail, attempts: 2)))
    }
    try await fixture.recorder.flush()
    return run
  }

  private func wake(_ path: String, of run: RunRecord) throws -> RetryWake {
    try RetryWake(of: path, ofRunNamed: run.id.text, for: Requester("ada"), in: history)
  }

  @Test("reaches the run that contains the operation, also by a path")
  func path() async throws {
    let outer = try await running([("deploy", .running, nil, nil)])
    let inner = try await running(
      [("build", .retrying, "retry", nil)], parent: .init(run: outer.id, operation: "deploy"))
    let wake = try wake("deploy/build", of: outer)
    #expect(wake.run.id == inner.id)
    #expect(wake.operation.name == "build")
    #expect(wake.operation.attempts == 2)
    #expect(try await fixture.takeRequests(outer.id).isEmpty)
    #expect(try await fixture.takeRequests(inner.id) == [.wake])
  }

  @Test(
    "is rejected with what the operation is doing instead",
    arguments: [
      ("pending", "it has not begun"), ("runs", "it is running attempt 2"), ("done", "it has succeeded"),
      ("loop", "it is a loop, whose items are retried separately"),
      ("asks", "it waits for an answer (`penstock approve RUN asks`)"), ("gated", "it waits for connected"),
      ("slot", "it waits for a free slot"), ("skipped", "it was skipped"),
    ])
  func instead(name: String, words: String) async throws {
    let run = try await running([
      ("pending", .pending, nil, nil), ("runs", .running, nil, nil), ("done", .succeeded, nil, nil),
      ("loop", .running, nil, #"{"items":3}"#), ("asks", .waiting, "approval", #"{"message":"May it?"}"#),
      ("gated", .waiting, "run_when", #"{"formula":"connected","why":"it is not"}"#),
      ("slot", .waiting, "concurrency", nil), ("skipped", .skipped, "condition", nil),
      ("other", .retrying, "retry", nil),
    ])
    let error = try #require(#expect(throws: WakeError.self) { try wake(name, of: run) })
    #expect(error.code == "not-retrying")
    let short = RunReference(history: history).short(run.id)
    #expect(
      error.description
        == "'\(name)' of run \(short) does not wait for a retry: \(words.replacing("RUN", with: short)); these do: other"
    )
  }

  @Test("is rejected for an inactive run, with what to do", arguments: [RunState.failed, .interrupted])
  func over(state: RunState) async throws {
    let run = try state == .failed ? await fixture.ended(state: .failed) : await fixture.abandoned()
    try history.markInterrupted()
    let record = try #require(try history.run(run))
    let error = #expect(throws: WakeError.self) { try wake("fetch", of: record) }
    #expect(error?.code == "run-\(state.rawValue)")
    #expect(error?.description.contains(state == .failed ? "`penstock retry " : "`penstock resume ") == true)
    #expect(throws: RunReferenceError.self) { try wake("nothing", of: record) }
  }
}
