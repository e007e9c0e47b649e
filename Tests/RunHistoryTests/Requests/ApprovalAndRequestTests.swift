import Foundation
import RunHistory
import Testing
import Workspace

@Suite("Approvals and requests")
struct ApprovalAndRequestTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws {
    fixture = try HistoryFixture()
  }

  private func ask() async throws -> Approval {
    let run = fixture.record()
    let approval = Approval(
      run: run.id, ordinal: 3, operation: "release", message: "Ship it?", requestedAt: HistoryFixture.start)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.operation(asking(run.id, .waiting)))
    fixture.recorder.record(.approvalRequested(approval))
    try await fixture.recorder.flush()
    return approval
  }

  private func asking(_ run: RunID, _ state: OperationState) -> OperationRecord {
    OperationRecord(run: run, ordinal: 3, name: "release", position: 0, state: state)
  }

  @Test("A question that is no longer pending cannot be answered", arguments: [true, false])
  func over(isRunOver: Bool) async throws {
    let approval = try await ask()
    if isRunOver {
      fixture.recorder.record(
        .runEnded(approval.run, state: .cancelled, reason: nil, counts: RunCounts(), at: HistoryFixture.start))
    } else {
      fixture.recorder.record(.operation(asking(approval.run, .failed)))
    }
    try await fixture.recorder.flush()
    var over = approval
    over.isOver = true
    #expect(try history.pendingApprovals(approval.run) == [])
    #expect(
      try history.answerApproval(approval.run, operation: "release", approved: true, note: nil, who: "ada")
        == .over(over))
    #expect(try history.approvals(of: approval.run) == [over])
    #expect(try fixture.rows("SELECT state FROM approvals") == [[.text("unanswered")]])
    #expect(try history.loadForResume(approval.run)?.approvals.first?.state == "unanswered")
  }

  @Test("A question is answered once, and keeps its answer when it is asked again")
  func answer() async throws {
    let approval = try await ask()
    #expect(try history.pendingApprovals(approval.run) == [approval])
    let outcome = try history.answerApproval(
      approval.run, operation: "release", approved: true, note: "fine", who: "ada", at: HistoryFixture.start)
    var answered = approval
    answered.answer = Approval.Answer(isApproved: true, note: "fine", who: "ada", at: HistoryFixture.start)
    #expect(outcome == .answered(answered))
    #expect(
      try history.answerApproval(approval.run, operation: "release", approved: false, note: nil, who: "eve")
        == .alreadyAnswered(answered))
    var again = approval
    again.message = "Really?"
    fixture.recorder.record(.approvalRequested(again))
    try await fixture.recorder.flush()
    #expect(try history.approvals(of: approval.run) == [answered], "what was asked stays with its answer")
    #expect(try history.pendingApprovals(approval.run) == [])
    #expect(
      try fixture.rows("SELECT operation, state, who FROM approvals") == [
        [.text("release"), .text("approved"), .text("ada")]
      ])
  }

  @Test("Answering a question that was not asked names those that were")
  func notAsked() async throws {
    let approval = try await ask()
    #expect(
      try history.answerApproval(approval.run, operation: "relase", approved: true, note: nil, who: "ada")
        == .notAsked(pending: ["release"]))
    #expect(
      try history.answerApproval(.generate(), operation: "release", approved: true, note: nil, who: "ada")
        == .notAsked(pending: []))
  }

  @Test("A request is taken once, by the run that it is for")
  func requests() async throws {
    let run = try await ask().run
    let other = try await ask().run
    try history.request(.cancel, of: run)
    let ada = RunCanceller(who: "ada", means: .kill)
    try history.request(.kill, of: run, for: ada)
    #expect(try history.pendingForHosts(withAnswers: false).requests.map(\.canceller) == [nil, ada])
    #expect(try await fixture.takeRequests(other) == [])
    let seen = try history.pendingForHosts(withAnswers: false).requests
    #expect(try await fixture.takeRequests(run) == [.cancel, .kill])
    #expect(try await fixture.takeRequests(run) == [])
    let fence = try #require(try history.run(run)?.fence)
    let again = try await fixture.recorder.take(seen, fences: [run: fence], at: .now)
    #expect(again.isEmpty, "a look that has seen them before they were taken takes none")
  }
}
