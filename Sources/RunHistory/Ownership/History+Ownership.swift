import SQLite
import Workspace

/// Determines which processes own runs, and marks the runs whose process no longer exists.
extension History {
  /// Marks every run whose process no longer exists as interrupted. Its unfinished attempts become `failed` with the error code `host-died`, its
  /// unfinished operations `pending`, and unrecorded results that it left are removed. Every command that opens the workspace for writing calls this
  /// first.
  ///
  /// Writes nothing if there is no such run, or if the workspace is read-only. Returns the marked runs.
  @discardableResult
  public func markInterrupted() throws(WorkspaceError) -> [RunID] {
    guard !workspace.isReadOnly, try hasAbandoned() else { return [] }
    // Checked again: another process may have marked or claimed them in the meantime.
    return try write { try RunOwnership.markAbandoned(in: $0) }
  }

  /// Marks runs whose host no longer exists, for a command that otherwise only reads, which also removes what they left. Does nothing if there are
  /// none or the workspace cannot be written. Returns the marked runs.
  @discardableResult
  package func markInterruptedIfPossible() -> [RunID] {
    guard (try? hasAbandoned()) == true,
      let writer = try? Self.open(at: workspace.directory, mode: .readWrite)
    else { return [] }
    defer { writer.workspace.close() }
    return (try? writer.markInterrupted()) ?? []
  }

  /// Whether the run still belongs to the process that was given the fencing token.
  package func isOwned(_ run: RunID, fence: Int64) throws(WorkspaceError) -> Bool {
    try read { try RunOwnership.fence(of: run, in: $0) == fence }
  }

  /// Returns the leases that living processes hold, by name.
  package func leases() throws(WorkspaceError) -> [Lease] {
    try read { db in
      try Leases.all(in: db).filter { !$0.name.hasPrefix(Leases.resumptions) && $0.owner.isAlive(in: db) }
    }
  }

  func hasAbandoned() throws(WorkspaceError) -> Bool {
    do {
      return try workspace.readWithoutOpening { db in
        // A short query first: the start of every run waits for the answer, which is usually no.
        try RunOwnership.hasUnfinished(in: db) && !RunOwnership.abandoned(in: db).isEmpty
      }
    } catch {
      throw WorkspaceError(error, path: workspace.path)
    }
  }
}
