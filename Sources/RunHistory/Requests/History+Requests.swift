import SQLite
import Workspace

extension History {
  /// Answers a question and notifies the host of the run. `operation` is the name of the instance.
  ///
  /// The answer is durable, and survives a power loss: it also counts if the run is not being executed at the moment, and is found when it is resumed.
  public func answerApproval(
    _ run: RunID, operation: String, approved: Bool, note: String?, who: String, by means: Requester.Means = .command,
    at time: RecordTime = .now
  ) throws(WorkspaceError) -> ApprovalOutcome {
    let answer = Approval.Answer(isApproved: approved, note: note, who: who, at: time)
    let outcome = try write(changing: [StoredApproval.self, StoredAuditEntry.self]) { db in
      let outcome = try ApprovalRows.answer(run, operation: operation, answer, in: db)
      if case .answered(let approval) = outcome {
        try AuditRows.add(
          AuditEntry(
            time: time, by: Requester(who, by: means), approved ? .approve : .reject,
            AuditEntry.target(run, approval.operation), detail: note), in: db)
      }
      return outcome
    }
    if case .answered = outcome {
      try flushToDisk()
      workspace.announce()
    }
    return outcome
  }

  /// Returns the questions of a run that wait for an answer, by ordinal.
  public func pendingApprovals(_ run: RunID) throws(WorkspaceError) -> [Approval] {
    try read { db in
      try RunRows.find(run, in: db).map { try ApprovalRows.approvals(of: $0, onlyPending: true, in: db) } ?? []
    }
  }

  /// Returns the questions of a run, answered or not, by ordinal.
  public func approvals(of run: RunID) throws(WorkspaceError) -> [Approval] {
    try read { db in
      try RunRows.find(run, in: db).map { try ApprovalRows.approvals(of: $0, onlyPending: false, in: db) } ?? []
    }
  }

  /// Returns a person's answer to the question of one operation or item, or nil if there is none yet.
  package func answer(toQuestionOf ordinal: Int, of run: RunID) throws(WorkspaceError) -> Approval.Answer? {
    try read { db in
      guard let number = try RunRows.number(of: run, in: db) else { return nil }
      let key = InstanceKey(run: number, ordinal: ordinal).value
      let stored = try db.fetch(for: StoredApproval.self).where(StoredApproval.operation == key).first
      return stored?.record(of: run, canGoOn: true).answer
    }
  }

  /// Sends a request to the host of a run, which is notified, and records on whose behalf.
  public func request(
    _ request: RunRequest, of run: RunID, for canceller: RunCanceller? = nil, at time: RecordTime = .now
  ) throws(WorkspaceError) {
    try write { db in
      guard let number = try RunRows.number(of: run, in: db) else { return }
      if let canceller, let who = canceller.who, [.command, .kill].contains(canceller.means) {
        let entry = AuditEntry(
          time: time, by: Requester(who), AuditEntry.Action(rawValue: request.rawValue), run.text)
        try AuditRows.add(entry, in: db)
      }
      // A queued run has no host that could receive the request.
      if try OccasionLedger.endQueued(
        number, canceller: canceller, outcome: .skipped, reason: .cancelled, at: time, in: db)
      {
        return
      }
      try db.changing([StoredRequest.self]) { context in
        let last = try context.fetch(for: StoredRequest.self).maximum(StoredRequest.number) ?? 0
        try context.submit(
          StoredRequest.creationRequest(
            StoredRequest(
              number: last + 1, run: number, kind: request.rawValue, requestedAt: time.microseconds,
              who: canceller?.who, means: canceller?.means.rawValue)))
      }
    }
    workspace.announce()
  }

  /// Whether the end of a run has been requested.
  package func isToBeCancelled(_ run: RunID) throws(WorkspaceError) -> Bool {
    try read { db in
      guard let number = try RunRows.number(of: run, in: db) else { return false }
      return try StoredRequest.cancellation(ofRunNumber: number, in: db) != nil
    }
  }

  /// Requests the host of a run to let an operation that waits for a retry begin it immediately. If the run is interrupted, the retry is due when the run is
  /// resumed. `ordinal` is that of the instance.
  ///
  /// - Returns: False if it is not waiting for a retry, or its run is neither running nor interrupted; then nothing was requested.
  public func wakeRetry(
    _ run: RunID, ordinal: Int, by requester: Requester, at time: RecordTime = .now
  ) throws(WorkspaceError) -> Bool {
    let isAsked = try write { db in
      guard let found = try RunRows.find(run, in: db) else { return false }
      let key = InstanceKey(run: found.number, ordinal: ordinal).value
      guard let operation = try db.fetch(for: StoredOperation.self).where(StoredOperation.key == key).first else {
        return false
      }
      if found.isInterrupted {
        guard try Self.endInterruptedWait(operation, at: time, in: db) else { return false }
      } else {
        guard found.record.state == .running, operation.state == OperationState.retrying.rawValue else { return false }
        try db.changing([StoredRequest.self]) { context in
          let last = try context.fetch(for: StoredRequest.self).maximum(StoredRequest.number) ?? 0
          try context.submit(
            StoredRequest.creationRequest(
              StoredRequest(
                number: last + 1, run: found.number, kind: RunRequest.wake.rawValue, requestedAt: time.microseconds,
                who: requester.who, operation: Int64(ordinal))))
        }
      }
      try AuditRows.add(
        AuditEntry(time: time, by: requester, .wake, AuditEntry.target(run, operation.name)), in: db)
      return true
    }
    if isAsked { workspace.announce() }
    return isAsked
  }

  /// Makes the retry that an operation of an interrupted run waited for due at `time`. Returns false if it waited for none. Requires a write transaction.
  private static func endInterruptedWait(
    _ operation: StoredOperation, at time: RecordTime, in db: Database
  ) throws -> Bool {
    let latest = try db.fetch(for: StoredAttempt.self).where(
      StoredAttempt.operation == operation.key, limit: .limit(1), orderBy: [StoredAttempt.number.descending]
    ).first
    guard let latest, let due = latest.retryDue, latest.state == OperationState.failed.rawValue else {
      return false
    }
    // It is due already, and begins with the run.
    guard due > time.microseconds else { return true }
    try db.changing([StoredAttempt.self]) { context in
      try context.update(
        StoredAttempt.self,
        set: [
          StoredAttempt.retryDue.set(time.microseconds),
          StoredAttempt.wakeCause.set(AuditEntry.Action.wake.rawValue),
        ], where: StoredAttempt.operation == operation.key && StoredAttempt.number == latest.number)
    }
    return true
  }
}
