import SQLite
import Workspace

/// Runs that are related to another run.
extension History {
  /// Returns the active runs of a pipeline except `run`, the oldest first, each with whether it is later than `run`, including earlier ones that a
  /// process is about to begin.
  package func activeRuns(
    of pipeline: String, except run: RunID
  ) throws(WorkspaceError) -> [(id: RunID, isLater: Bool)] {
    try read { db in
      // By the index of runs that belong to processes, which are few, rather than all that are queued.
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            WITH own AS (SELECT ifnull((SELECT number FROM run_record WHERE id = ?2), 9223372036854775807) AS number)
            SELECT id, boot, pid, process_started, run_record.number > own.number
            FROM own CROSS JOIN run_record INDEXED BY run_owned
            WHERE pipeline = ?1 AND state IN ('queued', 'running') AND process_started <> -1 AND id <> ?2
              AND (state = 'running' OR run_record.number < own.number)
            ORDER BY run_record.number
            """), arguments: [pipeline, run.text])
      return rows.compactMap { row in
        let owner = ProcessIdentity(boot: row[1], pid: Int32(exactly: row[2] as Int64) ?? 0, started: row[3])
        guard let id = RunID(row[0] as String), owner.isAlive(in: db) else { return nil }
        return (id, row[4])
      }
    }
  }

  /// Returns the runs that operations of `parent` started, the oldest first.
  package func nestedRuns(of parent: RunID) throws(WorkspaceError) -> [RunID] {
    try startedRuns(of: parent).map(\.id)
  }

  /// Returns the runs that operations of `parent` started, the oldest first, each with the operation and its creation time.
  package func startedRuns(
    of parent: RunID
  ) throws(WorkspaceError) -> [(id: RunID, operation: String, createdAt: RecordTime)] {
    try read { db in
      try db.fetch(for: StoredRun.self)
        .select(
          StoredRun.id, StoredRun.parentOperation, StoredRun.createdAt, where: StoredRun.parent == parent.text,
          orderBy: [StoredRun.id.ascending]
        ).compactMap { id, operation, created in
          RunID(id).map { ($0, operation ?? "", RecordTime(microseconds: created)) }
        }
    }
  }

  /// Returns the names of the handlers of a run that failed, in the order of the file.
  package func failedHandlers(of run: RunRecord) throws(WorkspaceError) -> [String] {
    try failedOperations(of: run.id, from: run.counts.operations).map(\.name)
  }

  /// Returns the operations and handlers of a run that failed, from the ordinal `first` on, in the order of the file and without the items of loops.
  package func failedOperations(of run: RunID, from first: Int = 0) throws(WorkspaceError) -> [OperationRecord] {
    try read { db in
      guard let number = try RunRows.number(of: run, in: db) else { return [] }
      let first = InstanceKey(run: number, ordinal: first).value
      var failed: [OperationRecord] = []
      // Handlers come after the operations and before the items of loops, of which there may be many.
      try db.fetch(for: StoredOperation.self).walk(
        StoredOperation.key.between(first, InstanceKey.range(of: number).last), orderBy: [StoredOperation.key.ascending]
      ) { stored in
        guard stored.parent == nil else { return false }
        if stored.state == OperationState.failed.rawValue, let record = stored.record(of: run) { failed.append(record) }
        return true
      }
      return failed
    }
  }

  /// Returns the latest nested run that an operation of `parent` started.
  package func nestedRun(of parent: RunID, operation: String) throws(WorkspaceError) -> RunRecord? {
    let id = try read { db in
      try db.fetch(for: StoredRun.self)
        .select(
          StoredRun.id, where: StoredRun.parent == parent.text && StoredRun.parentOperation == operation, limit: 1,
          orderBy: [StoredRun.id.descending]
        ).first
    }
    guard let id = id.flatMap({ RunID($0) }) else { return nil }
    return try self.run(id)
  }
}
