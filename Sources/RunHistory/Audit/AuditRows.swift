import SQLite
import Workspace

/// The rows of the audit, each written in the transaction of what it records.
enum AuditRows {
  /// The number of entries kept: the latest.
  static let kept: Int64 = 10_000

  /// Records an entry, and returns its number.
  ///
  /// In SQL, so that the row is numbered automatically.
  @discardableResult
  static func add(_ entry: AuditEntry, in db: Database) throws -> Int64 {
    try db.cachedStatement(
      sql: "INSERT INTO audit_record (at, who, how, what, on_what, detail) VALUES (?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [
      entry.time.microseconds, entry.requester.who, entry.requester.means.rawValue, entry.action.rawValue,
      entry.target, entry.detail,
    ])
    let number = db.lastInsertedRowID
    try db.cachedStatement(sql: "DELETE FROM audit_record WHERE number <= ?").execute(arguments: [number - kept])
    return number
  }

  /// Updates the details of an entry whose action is performed in several transactions.
  static func update(_ number: Int64, detail: String, in db: Database) throws {
    try db.cachedStatement(sql: "UPDATE audit_record SET detail = ? WHERE number = ?")
      .execute(arguments: [detail, number])
  }
}

extension History {
  /// Records an action that changes nothing in the workspace by itself.
  package func record(_ entry: AuditEntry) throws(WorkspaceError) {
    _ = try write { db in try AuditRows.add(entry, in: db) }
  }

  /// Returns the audit entries, the latest first.
  ///
  /// - Parameters:
  ///   - since: Only what was done at or after it. Default nil, for all.
  ///   - until: Only what was done before it. Default nil, for all.
  ///   - limit: The maximum number of entries. Default nil, for all.
  /// - Returns: The entries.
  /// - Throws: `WorkspaceError`.
  public func audit(
    since: RecordTime? = nil, until: RecordTime? = nil, limit: Int? = nil
  ) throws(WorkspaceError) -> [AuditEntry] {
    try read { db in
      try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT at, who, how, what, on_what, detail FROM audit_record 
            WHERE (?1 IS NULL OR at >= ?1) AND (?2 IS NULL OR at < ?2)
            ORDER BY number DESC LIMIT ?3
            """), arguments: [since?.microseconds, until?.microseconds, limit ?? -1]
      ).map { row in
        AuditEntry(
          time: RecordTime(microseconds: row[0]),
          by: Requester(row[1], by: Requester.Means(rawValue: row[2])), AuditEntry.Action(rawValue: row[3]), row[4],
          detail: row[5])
      }
    }
  }
}
