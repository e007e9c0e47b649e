import SQLite
import Workspace

/// Who runs a run, and what becomes of runs whose process is gone.
package enum RunOwnership {
  /// The runs that their records say are going on, though their processes are gone.
  static func abandoned(in db: Database) throws -> [RunRows.Numbered] {
    try owned(in: db).flatMap { try RunRows.all(StoredRun.number == $0, in: db) }.filter(\.isAbandoned)
  }

  /// The numbers of the runs that have not ended and belong to a process.
  ///
  /// In SQL, which has an index of just these: a hundred thousand others may be queued.
  private static func owned(in db: Database) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(
        sql:
          "SELECT number FROM run_record WHERE state IN ('queued', 'running') AND process_started <> -1 ORDER BY number"
      ))
  }

  /// Whether any run has not ended that belongs to a process, whichever that is.
  ///
  /// In SQL: every run asks it when it starts, and would declare the objects of runs for nothing else.
  static func hasUnfinished(in db: Database) throws -> Bool {
    try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT 1 FROM run_record WHERE state IN ('queued', 'running') AND process_started <> -1 LIMIT 1")) != nil
  }

  /// Records that every run whose process is gone was interrupted, and returns these. Whoever takes something else from such a process does this in the
  /// same transaction, so that the process can record nothing if it was only thought to be gone. Needs a write transaction.
  @discardableResult
  package static func markAbandoned(in db: Database) throws -> [RunID] {
    let abandoned = try abandoned(in: db)
    return try abandoned.compactMap { run in
      // Nothing of it has begun: it waits on, for the next host.
      if try QueueEntries.giveBack(run, in: db) { return nil }
      try markInterrupted(run, in: db)
      return run.record.id
    }
  }

  /// Records that the run was interrupted, and fences its former process off. Needs a write transaction in which the run was found to be abandoned, or given up by its process.
  ///
  /// Where its host has drained and left it, nothing of it has failed.
  static func markInterrupted(_ run: RunRows.Numbered, isLeft: Bool = false, in db: Database) throws {
    let error = isLeft ? RecordedError.hostDrained : .hostDied
    try db.changing([StoredRun.self, StoredAttempt.self, StoredOperation.self]) { context in
      try context.submit(
        StoredRun.changeRequest(run.stored) { stored in
          stored.state = RunState.interrupted.rawValue
          stored.reason = error.code
          stored.fence = (stored.fence ?? 0) + 1
        })
      // When the attempt ended is not known, so no time is recorded.
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

  /// The fencing number of a run; nil if there is no such run.
  static func fence(of run: RunID, in db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT coalesce(fence, 0) FROM run_record WHERE id = ?"), arguments: [run.text])
  }

  /// Makes `owner` the owner of a run that was interrupted; nil if it was not. Needs a write transaction.
  ///
  /// Where a person asks for that, it ends what was asked before: whoever asked the former process to cancel the run has changed their mind.
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
      // What is left is to be cancelled: see ``RecordedRun/cancellation``.
      try context.update(
        StoredRequest.self, set: [StoredRequest.takenAt.set(time.microseconds)],
        where: StoredRequest.run == found.number && StoredRequest.takenAt.isNil())
    }
    return try RunRows.find(run, in: db).map { try RunRows.presented($0, in: db) }
  }
}
