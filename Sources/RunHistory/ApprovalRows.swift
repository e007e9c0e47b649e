import Expressions
import SQLite

/// Reads and answers rows of approvals.
enum ApprovalRows {
  static func approvals(of run: RunRows.Numbered, onlyPending: Bool, in db: Database) throws -> [Approval] {
    let range = InstanceKey.range(of: run.number)
    // A run whose process is gone can be gone on with, and asks again then.
    let canGoOn = !run.record.state.isFinal || run.record.state == .interrupted
    let all = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT a.operation, a.name, a.message, a.requested_at, a.answered_at, a.approved, a.note, a.who, o.state
          FROM approval a LEFT JOIN operation_record o ON o.key = a.operation
          WHERE a.operation BETWEEN ? AND ? ORDER BY a.operation
          """), arguments: [range.first, range.last]
    ).map { approval($0, run: run.record.id, canGoOn: canGoOn) }
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
    try db.execute(
      sql: "UPDATE approval SET answered_at = ?, approved = ?, note = ?, who = ? WHERE operation = ?",
      arguments: [
        answer.at.microseconds, answer.isApproved, answer.note, answer.who,
        InstanceKey(run: number, ordinal: approval.ordinal).value,
      ])
  }

  private static func approval(_ row: Row, run: RunID, canGoOn: Bool) -> Approval {
    var approval = Approval(
      run: run, ordinal: InstanceKey(row[0]).ordinal, operation: row[1], message: row[2],
      requestedAt: RecordTime(microseconds: row[3]))
    if let answered = row[4] as Int64? {
      approval.answer = Approval.Answer(
        isApproved: row[5] as Bool? ?? false, note: row[6], who: row[7] as String? ?? "",
        at: RecordTime(microseconds: answered))
    } else {
      let operation = (row[8] as String?).flatMap(OperationState.init)
      approval.isOver = !canGoOn || operation?.isFinal ?? true
    }
    return approval
  }
}
