import Values
import Workspace

// What an interrupted run waits for that a process is about to resume. Nothing of its record changes until it is claimed, as it stays interrupted where that fails. So
// it is told by a lease, which holds as long as the process lives.

extension HistoryRecorder {
  /// Tells what a run waits for that this process is about to resume; nil where it does not wait any more. Ignored where another living process tells that of the run.
  package nonisolated(nonsending) func tell(
    _ reason: RunReason?, ofResuming run: RunID, at time: RecordTime
  ) async throws {
    let (name, text) = (Leases.resumption(of: run), reason?.text)
    try await perform { db in
      if let lease = try Leases.current(name, in: db), lease.owner != .current, lease.owner.isAlive(in: db) { return }
      // Its fencing number matters to nobody, so that no row has to stay.
      _ = try db.changing([StoredLease.self]) { try $0.delete(StoredLease.self, where: StoredLease.name == name) }
      guard let text else { return }
      _ = try Leases.acquire(name, holder: text, at: time.microseconds, in: db)
    }
  }
}

extension History {
  /// What an interrupted run waits for that a process is about to resume; nil where none is, or that takes no longer than a moment.
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

  /// How the names of these begin, which nobody waits for.
  static let resumptions = "resumption:"
}
