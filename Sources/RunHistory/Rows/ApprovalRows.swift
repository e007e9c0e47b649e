import Expressions
import SQLite
import Workspace

/// Reads and answers rows of approvals.
enum ApprovalRows {
  static func approvals(of run: RunRows.Numbered, onlyPending: Bool, in db: Database) throws -> [Approval] {
    // A run whose process no longer exists can be resumed, and then asks again.
    let canGoOn = !run.record.state.isFinal || run.record.state == .interrupted
    let all = try db.fetch(for: StoredApproval.self).where(StoredApproval.of(run.number))
      .map { $0.record(of: run.record.id, canGoOn: canGoOn) }
    return onlyPending ? all.filter { $0.answer == nil && !$0.isOver } : all
  }

  static func answer(
    _ run: RunID, operation: String, _ answer: Approval.Answer, in db: Database
  ) throws -> ApprovalOutcome {
    guard let found = try RunRows.find(run, in: db) else { return .notAsked(pending: []) }
    let all = try approvals(of: found, onlyPending: false, in: db)
    let name = OperationName.find(operation, among: all.map(\.operation))
    guard var approval = all.last(where: { $0.operation == name }) else {
      return .notAsked(pending: all.filter { $0.answer == nil && !$0.isOver }.map(\.operation))
    }
    guard approval.answer == nil else { return .alreadyAnswered(approval) }
    guard !approval.isOver else { return .over(approval) }
    try record(answer, of: approval, number: found.number, in: db)
    approval.answer = answer
    return .answered(approval)
  }

  static func record(_ answer: Approval.Answer, of approval: Approval, number: Int64, in db: Database) throws {
    try db.changing([StoredApproval.self]) { context in
      try context.update(
        StoredApproval.self,
        set: [
          StoredApproval.answeredAt.set(answer.at.microseconds), StoredApproval.approved.set(answer.isApproved ? 1 : 0),
          StoredApproval.note.set(answer.note), StoredApproval.who.set(answer.who),
        ], where: StoredApproval.operation == InstanceKey(run: number, ordinal: approval.ordinal).value)
    }
  }
}
