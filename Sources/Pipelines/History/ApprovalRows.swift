import GRDB

/// Reads and answers rows of approvals.
enum ApprovalRows {
  static func approvals(of run: RunRows.Numbered, onlyPending: Bool, in db: Database) throws -> [Approval] {
    let range = InstanceKey.range(of: run.number)
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT operation, name, message, requested_at, answered_at, approved, note, who FROM approval
          WHERE operation BETWEEN ? AND ? \(onlyPending ? "AND answered_at IS NULL" : "") ORDER BY operation
          """), arguments: [range.first, range.last]
    ).map { approval($0, run: run.record.id) }
  }

  static func answer(
    _ run: RunID, operation: String, _ answer: Approval.Answer, in db: Database
  ) throws -> ApprovalOutcome {
    guard let found = try RunRows.find(run, in: db) else { return .notAsked(pending: []) }
    let all = try approvals(of: found, onlyPending: false, in: db)
    guard var approval = all.last(where: { $0.operation == operation }) else {
      return .notAsked(pending: all.filter { $0.answer == nil }.map(\.operation))
    }
    guard approval.answer == nil else { return .alreadyAnswered(approval) }
    try db.execute(
      sql: "UPDATE approval SET answered_at = ?, approved = ?, note = ?, who = ? WHERE operation = ?",
      arguments: [
        answer.at.microseconds, answer.isApproved, answer.note, answer.who,
        InstanceKey(run: found.number, ordinal: approval.ordinal).value,
      ])
    approval.answer = answer
    return .answered(approval)
  }

  private static func approval(_ row: Row, run: RunID) -> Approval {
    var approval = Approval(
      run: run, ordinal: InstanceKey(row[0]).ordinal, operation: row[1], message: row[2],
      requestedAt: RecordTime(microseconds: row[3]))
    if let answered = row[4] as Int64? {
      approval.answer = Approval.Answer(
        isApproved: row[5] as Bool? ?? false, note: row[6], who: row[7] as String? ?? "",
        at: RecordTime(microseconds: answered))
    }
    return approval
  }
}
