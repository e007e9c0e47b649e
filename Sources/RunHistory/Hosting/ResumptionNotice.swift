import Values
import Workspace

// What an interrupted run that a process is about to resume is waiting for. The run's record does not change until it is claimed, because it stays
// interrupted if that fails. The reason is therefore recorded in a lease, which is held as long as the process exists.

extension HistoryRecorder {
  /// Records what a run that this process is about to resume is waiting for; nil once it no longer waits. Ignored if another living process has
  /// recorded a reason for the run.
  package nonisolated(nonsending) func tell(
    _ reason: RunReason?, ofResuming run: RunID, at time: RecordTime
  ) async throws {
    let (name, text) = (Leases.resumption(of: run), reason?.text)
    try await perform { db in
      if let lease = try Leases.current(name, in: db), lease.owner != .current, lease.owner.isAlive(in: db) { return }
      // Its fencing token is not used, so no row has to remain.
      _ = try db.changing([StoredLease.self]) { try $0.delete(StoredLease.self, where: StoredLease.name == name) }
      guard let text else { return }
      _ = try Leases.acquire(name, holder: text, at: time.microseconds, in: db)
    }
  }
}

extension History {
  /// Returns what an interrupted run that a process is about to resume is waiting for, or nil if there is no such process, or if it takes no longer
  /// than a moment.
  package func resumption(of run: RunID) throws(WorkspaceError) -> RunPreparation? {
    try read { db in
      guard let lease = try Leases.current(Leases.resumption(of: run), in: db), lease.owner.isAlive(in: db) else {
        return nil
      }
      return RunReason.preparation(in: lease.holder)
    }
  }
}

extension Leases {
  fileprivate static func resumption(of run: RunID) -> String { "\(resumptions)\(run.text)" }

  /// The prefix of these leases' names, which are never waited for.
  static let resumptions = "resumption:"
}
