import SQLite
import Values
import Workspace

/// An operation of a run that goes on, which waits for a person, for what others hold, or for what its process lacks.
package struct HeldUpOperation: Sendable, Hashable {
  /// The run of a pipeline that somebody or something has started; not one nested in it.
  package var run: RunID
  /// The operation, behind those that lead to it from that run: `deploy/publish`.
  package var path: String
  /// What it waits for.
  package var reason: OperationReason
}

extension History {
  /// How many are looked for: where one lacks something, all soon do.
  private static let mostHeldUp = 1000

  /// The operations that wait for an answer, for resources or an exclusive name, or for a descriptor, a thread or memory; the oldest runs first.
  package func heldUpOperations() throws(WorkspaceError) -> [HeldUpOperation] {
    try read { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT r.id, r.parent, r.parent_operation, o.name, o.state, o.reason, o.detail FROM run_record r
            JOIN operation_record o ON o.key BETWEEN r.number << 32 AND r.number << 32 | 4294967295
            WHERE r.state = 'running' AND (o.state = 'running' AND o.reason = 'shortage'
              OR o.state = 'waiting' AND o.reason IN ('approval', 'resources', 'exclusive'))
            ORDER BY o.key LIMIT ?
            """), arguments: [Self.mostHeldUp])
      return try rows.compactMap { row in
        var (id, path): (String, String) = (row[0], row[3])
        var (parent, operation): (String?, String?) = (row[1], row[2])
        while let outer = parent {
          path = "\(operation ?? "")/\(path)"
          let next = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT parent, parent_operation FROM run_record WHERE id = ?"), arguments: [outer])
          (id, parent, operation) = (outer, next?[0], next?[1])
        }
        let detail = (row[6] as String?).flatMap { try? JSONValue.parse($0) }
        guard let run = RunID(id), let state = OperationState(rawValue: row[4]),
          let reason = OperationReason(code: row[5], detail: detail, state: state)
        else { return nil }
        return HeldUpOperation(run: run, path: path, reason: reason)
      }
    }
  }
}
