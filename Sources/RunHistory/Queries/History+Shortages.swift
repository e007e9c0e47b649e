import SQLite
import Workspace

/// An operation that cannot go on before its process has a descriptor, a thread or memory for it.
package struct WaitForMeans: Sendable, Hashable {
  /// The run of a pipeline that somebody or something has started; not one nested in it.
  package var run: RunID
  /// The name of the operation, in that run or in one nested in it.
  package var operation: String
  /// What has failed, in words.
  package var why: String
}

extension History {
  /// How many are looked for: where one lacks something, all soon do.
  private static let mostShortages = 100

  /// The operations that wait for a descriptor, a thread or memory, the oldest runs first.
  package func shortages() throws(WorkspaceError) -> [WaitForMeans] {
    try read { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT r.id, r.parent, o.name, o.detail ->> '$.why' FROM run_record r
            JOIN operation_record o ON o.key BETWEEN r.number << 32 AND r.number << 32 | 4294967295
            WHERE r.state = 'running' AND o.state = 'running' AND o.reason = 'shortage'
            ORDER BY o.key LIMIT ?
            """), arguments: [Self.mostShortages])
      return try rows.compactMap { row in
        var (id, parent): (String, String?) = (row[0], row[1])
        while let outer = parent {
          id = outer
          parent = try String.fetchOne(
            db.cachedStatement(sql: "SELECT parent FROM run_record WHERE id = ?"), arguments: [outer])
        }
        return RunID(id).map { WaitForMeans(run: $0, operation: row[2], why: (row[3] as String?) ?? "") }
      }
    }
  }
}
