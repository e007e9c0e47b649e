import SQLite
import Workspace

/// The ownership of runs by processes, and the handling of runs whose process no longer exists.
package enum RunOwnership {
  /// Returns the runs whose records are unfinished although their processes no longer exist.
  static func abandoned(in db: Database) throws -> [RunRows.Numbered] {
    try owned(in: db).flatMap { try RunRows.all(StoredRun.number == $0, in: db) }.filter(\.isAbandoned)
  }

  /// Returns the numbers of the unfinished runs that belong to a process.
  ///
  /// In SQL, with an index of just these: a hundred thousand others may be queued.
  private static func owned(in db: Database) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql:
          "SELECT number FROM run_record WHERE state IN ('queued', 'running') AND process_started <> -1 ORDER BY number"
      ))
  }

  /// Whether any unfinished run belongs to a process.
  ///
  /// In SQL: every run checks this when it starts, and would otherwise have to declare the run objects.
  static func hasUnfinished(in db: Database) throws -> Bool {
    try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT 1 FROM run_record WHERE state IN ('queued', 'running') AND process_started <> -1 LIMIT 1")) != nil
  }

  /// Records every run whose process no longer exists as interrupted, and returns these. Code that takes something else from such a process calls
  /// this in the same transaction, so that the process can record nothing if it was wrongly believed to have ended. Requires a write transaction.
  @discardableResult
  package static func markAbandoned(in db: Database) throws -> [RunID] {
    let abandoned = try abandoned(in: db)
    return try abandoned.compactMap { run in
      // The run has not begun: it keeps waiting, for the next host.
      if try QueueEntries.giveBack(run, in: db) { return nil }
      try markInterrupted(run, in: db)
      return run.record.id
    }
  }

  /// Records the run as interrupted, and fences off its former process. Requires a write transaction in which the run was found to be abandoned, or
  /// given up by its process.
  ///
  /// If its host has drained and left it, nothing in it has failed.
  static func markInterrupted(_ run: RunRows.Numbered, isLeft: Bool = false, in db: Database) throws {
    let error = isLeft ? RecordedError.hostDrained : .hostDied
    try db.changing([StoredRun.self, StoredAttempt.self, StoredOperation.self]) { context in
      try context.submit(
        StoredRun.changeRequest(run.stored) { stored in
          stored.state = RunState.interrupted.rawValue
          stored.reason = error.code
          stored.fence = (stored.fence ?? 0) + 1
        })
      // It is unknown when the attempt ended, so no time is recorded.
      try context.update(
        StoredAttempt.self,
        set: [
          StoredAttempt.state.set((isLeft ? OperationState.cancelled : .failed).rawValue),
          StoredAttempt.errorCode.set(error.code),
          StoredAttempt.error.set(error.message),
        ], where: StoredAttempt.of(run.number) && !StoredAttempt.state.in(["succeeded", "failed", "cancelled"]))
      try context.update(
        StoredOperation.self,
        set: [
          StoredOperation.state.set(OperationState.pending.rawValue), StoredOperation.reason.set(nil),
          StoredOperation.waitingSince.set(nil),
        ], where: StoredOperation.of(run.number) && StoredOperation.state.in(["waiting", "running", "retrying"]))
    }
    try LeftoverResults.remove(of: run, workspace: db.workspaceDirectory, in: db)
  }

  /// Returns the fencing token of a run, or nil if there is no such run.
  static func fence(of run: RunID, in db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT coalesce(fence, 0) FROM run_record WHERE id = ?"), arguments: [run.text])
  }

  /// Makes `owner` the owner of an interrupted run; returns nil if it was not interrupted. Requires a write transaction.
  ///
  /// If a person requested this, earlier requests to the former process to cancel the run are dropped.
  static func claim(
    _ run: RunID, owner: ProcessIdentity, isAskedFor: Bool, at time: RecordTime, in db: Database
  ) throws -> RunRecord? {
    guard let found = try RunRows.find(run, in: db) else { return nil }
    if found.isAbandoned {
      if try QueueEntries.giveBack(found, in: db) { return nil }
      try markInterrupted(found, in: db)
    } else if found.record.state != .interrupted {
      return nil
    }
    try db.changing([StoredRun.self, StoredRequest.self]) { context in
      try context.submit(
        StoredRun.changeRequest(found.stored) { stored in
          stored.state = RunState.running.rawValue
          stored.reason = nil
          stored.endedAt = nil
          stored.startedAt = stored.startedAt ?? time.microseconds
          (stored.boot, stored.pid, stored.processStarted) = (owner.boot, Int64(owner.pid), owner.started)
          stored.fence = (stored.fence ?? 0) + 1
        })
      if isAskedFor { _ = try context.delete(StoredRequest.self, where: StoredRequest.run == found.number) }
      // The cancellation is still to be performed: see ``RecordedRun/cancellation``.
      try context.update(
        StoredRequest.self, set: [StoredRequest.takenAt.set(time.microseconds)],
        where: StoredRequest.run == found.number && StoredRequest.takenAt.isNil())
    }
    return try RunRows.find(run, in: db).map { try RunRows.presented($0, in: db) }
  }
}
