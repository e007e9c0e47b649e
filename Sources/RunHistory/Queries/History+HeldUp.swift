import SQLite
import Workspace

/// A waiting operation of an active run: it waits for a person, for what others hold, for what its process lacks, for a condition or for a time.
package struct HeldUpOperation: Sendable, Hashable {
  /// The top-level run, started by a person or a program rather than nested.
  package var run: RunID
  /// The operation, preceded by those that lead to it from that run: `deploy/publish`.
  package var path: String
  /// Its record, in its own run.
  package var record: OperationRecord
  /// What it waits for.
  package var reason: OperationReason
}

extension History {
  /// The maximum number returned: once one lacks something, soon all do.
  private static let mostHeldUp = 1000

  /// Returns the waiting operations, except those that wait for a slot of their own run. First those that wait for an answer, then those that wait
  /// for what others hold or for a descriptor, a thread or memory, then those that continue by themselves; among these, the oldest runs first.
  package func heldUpOperations() throws(WorkspaceError) -> [HeldUpOperation] {
    try read { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT r.id, r.parent, r.parent_operation, o.key FROM run_record r
            JOIN operation_record o ON o.key BETWEEN r.number << 32 AND r.number << 32 | 4294967295
            WHERE r.state = 'running' AND (o.state = 'running' AND o.reason IN ('shortage', 'executor')
              OR o.state = 'waiting' AND o.reason <> 'concurrency' OR o.state = 'retrying')
            ORDER BY CASE o.reason WHEN 'approval' THEN 0
              WHEN 'shortage' THEN 1 WHEN 'resources' THEN 1 WHEN 'exclusive' THEN 1 WHEN 'place' THEN 1 ELSE 2 END, o.key
            LIMIT ?
            """), arguments: [Self.mostHeldUp])
      return try rows.compactMap { row in
        var (outermost, path): (String, String) = (row[0], "")
        let key: Int64 = row[3]
        let stored = try db.fetch(for: StoredOperation.self).where(StoredOperation.key == key).first
        guard let id = RunID(outermost), let record = stored?.record(of: id), let reason = record.operationReason else {
          return nil
        }
        path = record.name
        var (parent, operation): (String?, String?) = (row[1], row[2])
        while let outer = parent {
          path = "\(operation ?? "")/\(path)"
          let next = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT parent, parent_operation FROM run_record WHERE id = ?"), arguments: [outer])
          (outermost, parent, operation) = (outer, next?[0], next?[1])
        }
        guard let run = RunID(outermost) else { return nil }
        return HeldUpOperation(run: run, path: path, record: record, reason: reason)
      }
    }
  }
}
