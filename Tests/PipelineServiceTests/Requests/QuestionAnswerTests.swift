import RunHistory
import Testing

@testable import PipelineService

@Suite("Answers to questions, and cancellations") struct QuestionAnswerTests {
  private let fixture: HistoryFixture
  private var history: History { fixture.history }

  init() throws { fixture = try HistoryFixture() }

  /// Returns an active run that asks a question in each of `operations`.
  private func asking(_ operations: [String], parent: RunRecord.Parent? = nil) async throws -> RunRecord {
    let run = fixture.record(parent: parent)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    for (ordinal, name) in operations.enumerated() {
      fixture.recorder.record(
        .operation(OperationRecord(run: run.id, ordinal: ordinal, name: name, position: ordinal, state: .waiting)))
      fixture.recorder.record(
        .approvalRequested(
          Approval(
            run: run.id, ordinal: ordinal, operation: name, message: "\(name)?", requestedAt: HistoryFixture.start)))
    }
    try await fixture.recorder.flush()
    return run
  }

  private func answer(_ path: String?, of run: RunRecord, isApproved: Bool = true) throws -> QuestionAnswer.Receipt {
    try QuestionAnswer(isApproved: isApproved, note: nil, who: "ada").give(to: path, of: run, in: history)
  }

  @Test("Without a name, the only question is answered")
  func only() async throws {
    let run = try await asking(["release"])
    let receipt = try answer(nil, of: run, isApproved: false)
    #expect(receipt.approval.operation == "release")
    #expect(receipt.approval.answer?.isApproved == false)
    #expect(receipt.approval.answer?.who == "ada")
    let again = #expect(throws: AnswerError.self) { try answer("release", of: run) }
    #expect(again?.code == "already-answered")
    let none = #expect(throws: AnswerError.self) { try answer(nil, of: run) }
    #expect(none?.code == "nothing-asked")
  }

  @Test("Without a name, several questions are rejected with a list of them")
  func several() async throws {
    let run = try await asking(["release", "publish"])
    let error = #expect(throws: AnswerError.self) { try answer(nil, of: run) }
    #expect(error?.code == "several-questions")
    #expect(error?.description.hasSuffix("name one:\n  release: release?\n  publish: publish?") == true)
    #expect(try answer("publish", of: run).approval.operation == "publish")
  }

  @Test("A question of a run that an operation started is found alone and by its path", arguments: [true, false])
  func nested(isNamed: Bool) async throws {
    let outer = try await asking([])
    fixture.recorder.record(
      .operation(OperationRecord(run: outer.id, ordinal: 0, name: "deploy", position: 0, state: .running)))
    let inner = try await asking(["publish"], parent: .init(run: outer.id, operation: "deploy"))
    #expect(try OpenQuestions(of: outer, in: history).all().map(\.path) == ["deploy/publish"])
    #expect(try answer(isNamed ? "deploy/publish" : nil, of: outer).run.id == inner.id)
  }

  @Test("A question that was not asked is rejected with those that were")
  func notAsked() async throws {
    let run = try await asking(["release"])
    let error = #expect(throws: AnswerError.self) { try answer("other", of: run) }
    #expect(error?.code == "not-asked")
    #expect(error?.description.hasSuffix("these wait for approval: release") == true)
  }

  @Test("A run that has ended does not wait for an answer")
  func over() async throws {
    let run = try await asking(["release"])
    fixture.recorder.record(
      .runEnded(run.id, state: .cancelled, reason: nil, counts: RunCounts(), at: HistoryFixture.start))
    try await fixture.recorder.flush()
    let ended = try RunReference(history: history).find(run.id.text)
    // A caller that names the operation may have looked up the run before it ended.
    for (path, run) in [("release", run), (nil, ended)] {
      let error = #expect(throws: AnswerError.self) { try answer(path, of: run) }
      #expect(error?.code == "question-over")
      #expect(error?.description.hasSuffix("is cancelled and no longer waits for an answer") == true)
    }
  }

  @Test("An active run is cancelled with a request to its host", arguments: [false, true])
  func cancellation(isKill: Bool) async throws {
    let run = try await asking(["release"])
    let cancellation = try RunCancellation(of: run, isKill: isKill, who: "ada", in: history)
    #expect(cancellation.run.id == run.id)
    let pending = try history.pendingForHosts(withAnswers: false).requests
    #expect(pending.map(\.kind) == [isKill ? .kill : .cancel])
  }

  @Test("A run that has ended cannot be cancelled, and an interrupted one is left to the next host")
  func nothingToCancel() async throws {
    let ended = try await fixture.ended()
    let error = #expect(throws: RunCancellation.RunEnded.self) {
      try RunCancellation(of: #require(try history.run(ended)), isKill: false, who: "ada", in: history)
    }
    #expect(error?.description.hasSuffix("of digest cannot be cancelled: it has already ended (succeeded)") == true)
    let abandoned = try await fixture.abandoned()
    let cancellation = try RunCancellation(
      of: #require(try history.run(abandoned)), isKill: false, who: "ada", in: history)
    #expect(cancellation.isLeftToNextHost)
    #expect(try history.isToBeCancelled(abandoned))
  }
}
