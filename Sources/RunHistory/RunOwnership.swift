import SQLite
import Workspace

/// Who runs a run, and what becomes of runs whose process is gone.
package enum RunOwnership {
  /// What is recorded of an attempt that was under way when its host ended.
  package static let hostDied = RecordedError(
    code: "host-died", message: "the process that ran it ended before the attempt did")

  /// The runs that their records say are going on, though their processes are gone.
  static func abandoned(in db: Database) throws -> [RunRows.Numbered] {
    try RunRows.all(StoredRun.goesOn, in: db).filter(\.isAbandoned)
  }

  /// Whether any run has not ended, whosever it is.
  ///
  /// In SQL: every run asks it when it starts, and would declare the objects of runs for nothing else.
  static func hasUnfinished(in db: Database) throws -> Bool {
    try Int.fetchOne(
      db.cachedStatement(sql: "SELECT 1 FROM run_record WHERE state IN ('queued', 'running') LIMIT 1")) != nil
  }

  /// Records that every run whose process is gone was interrupted, and returns these. Whoever takes something else from such a process does this in the
  /// same transaction, so that the process can record nothing if it was only thought to be gone. Needs a write transaction.
  @discardableResult
  package static func markAbandoned(in db: Database) throws -> [RunID] {
    let abandoned = try abandoned(in: db)
    for run in abandoned { try markInterrupted(run, in: db) }
    return abandoned.map(\.record.id)
  }

  /// Records that the run was interrupted, and fences its former process off. Needs a write transaction in which the run was found to be abandoned.
  static func markInterrupted(_ run: RunRows.Numbered, in db: Database) throws {
    let range = InstanceKey.range(of: run.number)
    try db.execute(
      sql: """
        UPDATE run_record SET state = 'interrupted', reason = 'host-died', fence = coalesce(fence, 0) + 1 WHERE number = ?;
        """, arguments: [run.number])
    // When the attempt ended is not known, so no time is recorded.
    try db.execute(
      sql: """
        UPDATE attempt_record SET state = 'failed', error_code = ?, error = ?
        WHERE operation BETWEEN ? AND ? AND state NOT IN ('succeeded', 'failed', 'cancelled');
        """, arguments: [hostDied.code, hostDied.message, range.first, range.last])
    try db.execute(
      sql: """
        UPDATE operation_record SET state = 'pending', reason = NULL, waiting_since = NULL
        WHERE key BETWEEN ? AND ? AND state IN ('waiting', 'running', 'retrying')
        """, arguments: [range.first, range.last])
    try LeftoverResults.remove(of: run, workspace: db.workspaceDirectory, in: db)
  }

  /// The fencing number of a run; nil if there is no such run.
  static func fence(of run: RunID, in db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT coalesce(fence, 0) FROM run_record WHERE id = ?"), arguments: [run.text])
  }

  /// Makes `owner` the owner of a run that was interrupted; nil if it was not. Needs a write transaction.
  static func claim(_ run: RunID, owner: ProcessIdentity, at time: RecordTime, in db: Database) throws -> RunRecord? {
    guard let found = try RunRows.find(run, in: db) else { return nil }
    if found.isAbandoned {
      try markInterrupted(found, in: db)
    } else if found.record.state != .interrupted {
      return nil
    }
    try db.execute(
      sql: """
        UPDATE run_record SET state = 'running', reason = NULL, ended_at = NULL, started_at = coalesce(started_at, ?),
          boot = ?, pid = ?, process_started = ?, fence = coalesce(fence, 0) + 1 WHERE number = ?
        """, arguments: [time.microseconds, owner.boot, owner.pid, owner.started, found.number])
    // Whoever asked the former process to end did not ask this one.
    try db.execute(
      sql: "UPDATE request SET taken_at = ? WHERE run = ? AND taken_at IS NULL",
      arguments: [time.microseconds, found.number])
    return try RunRows.find(run, in: db).map { try RunRows.presented($0, in: db) }
  }
}
