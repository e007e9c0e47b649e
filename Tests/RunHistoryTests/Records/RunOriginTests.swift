import Testing

@testable import RunHistory

@Suite("The origin of a run")
struct RunOriginTests {
  let fixture: HistoryFixture

  init() throws {
    fixture = try HistoryFixture()
  }

  private func origin(_ source: RunID, _ selection: RunOptions.Selection, partial: [String] = []) -> RunOrigin {
    var origin = RunOrigin()
    origin.source = source
    origin.selection = selection
    origin.partial = partial
    return origin
  }

  @Test(
    "is recorded in the transaction that creates the run",
    arguments: [
      RunOptions.Selection.all, .only(operation: "Build \"it\""), .from(operation: "töte"),
      .operations(from: ["a", "b"], only: ["c", "d"]),
    ])
  func recorded(_ selection: RunOptions.Selection) async throws {
    var run = fixture.record()
    run.origin = origin(.generate(), selection, partial: ["mails", "inner"])
    run.parent = RunRecord.Parent(run: .generate(), operation: "deploy[3]", attempt: 4)
    let before = fixture.recorder.progress.transactions
    let reused = OperationRecord(run: run.id, ordinal: 0, name: "fetch", position: 0, state: .reused)
    fixture.recorder.record(
      .runCreated(run, definition: "", nested: ["/inner.yaml": "name: inner"], operations: [reused]))
    try await fixture.recorder.flush()
    #expect(fixture.recorder.progress.transactions == before + 1)
    let found = try #require(try fixture.history.loadForResume(run.id))
    #expect(found.run.origin == run.origin)
    #expect(found.run.parent == run.parent)
    #expect(found.operations == [reused])
    #expect(found.nestedDefinitions == ["/inner.yaml": "name: inner"])
  }

  @Test(
    "protects the source of a run that can be resumed or retried from being pruned",
    arguments: [
      (RunState.failed, ["mails"], true), (.succeeded, ["mails"], false), (.failed, [], false),
    ])
  func pruned(_ state: RunState, _ partial: [String], isKept: Bool) async throws {
    let source = try await fixture.ended(state: .failed)
    var run = fixture.record(at: HistoryFixture.start.advanced(by: 1_000_000), state: state)
    run.origin = origin(source, .all, partial: partial)
    fixture.recorder.record(.runCreated(run, definition: ""))
    try await fixture.recorder.flush()
    #expect(try fixture.history.prune(PruneRule(keep: 1)).runs == (isKept ? [] : [source]))
    #expect(try fixture.history.prune(PruneRule(keep: 0)).runs.contains(run.id), "a source goes with its user")
  }

  @Test("is absent in runs of earlier versions, and unknown members are ignored")
  func earlier() {
    #expect(RunOrigin(source: nil, text: nil) == RunOrigin())
    #expect(RunOrigin(source: nil, text: #"{"later":1}"#) == RunOrigin())
    #expect(RunOrigin(source: nil, text: "not JSON") == RunOrigin())
    #expect(RunOrigin().text == nil)
    #expect(RunOrigin(source: nil, text: #"{"from":"a"}"#).selection == .from(operation: "a"))
    var forced = RunOrigin()
    forced.isForced = true
    #expect(forced.text == #"{"force":true}"#)
    #expect(RunOrigin(source: nil, text: forced.text) == forced)
  }
}
