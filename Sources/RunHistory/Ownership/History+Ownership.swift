import SQLite
import Workspace

/// Finds out whose runs are, and marks those whose processes are gone.
extension History {
  /// Marks every run whose process is gone as interrupted. Its unfinished attempts become `failed` with the error code
  /// `host-died`, its unfinished operations `pending`, and results that it left unrecorded are removed. Every command that opens the workspace for writing calls this first.
  ///
  /// Does nothing, and needs no write, when there is no such run, nor in a workspace that is read-only. Returns the runs that
  /// were marked.
  @discardableResult
  public func markInterrupted() throws(WorkspaceError) -> [RunID] {
    guard !workspace.isReadOnly, try hasAbandoned() else { return [] }
    // Looked at again: another process may have marked them, or claimed them, meanwhile.
    return try write { try RunOwnership.markAbandoned(in: $0) }
  }

  /// For a command that only reads: marks runs whose host is gone, which removes what they left, where there is one and the workspace can be written.
  /// Returns which ones.
  @discardableResult
  package func markInterruptedIfPossible() -> [RunID] {
    guard (try? hasAbandoned()) == true,
      let writer = try? Self.open(at: workspace.directory, mode: .readWrite)
    else { return [] }
    defer { writer.workspace.close() }
    return (try? writer.markInterrupted()) ?? []
  }

  /// Whether the run is still of the process that was given the fencing number.
  package func isOwned(_ run: RunID, fence: Int64) throws(WorkspaceError) -> Bool {
    try read { try RunOwnership.fence(of: run, in: $0) == fence }
  }

  /// The leases that a living process holds, by name.
  package func leases() throws(WorkspaceError) -> [Lease] {
    try read { db in
      try Leases.all(in: db).filter { !$0.name.hasPrefix(Leases.resumptions) && $0.owner.isAlive(in: db) }
    }
  }

  func hasAbandoned() throws(WorkspaceError) -> Bool {
    do {
      return try workspace.readWithoutOpening { db in
        // A short question first: the start of every run waits for the answer, which is mostly no.
        try RunOwnership.hasUnfinished(in: db) && !RunOwnership.abandoned(in: db).isEmpty
      }
    } catch {
      throw WorkspaceError(error, path: workspace.path)
    }
  }
}
