import RunHistory
import Workspace

/// An error: a workspace is required but does not exist, at the given path or anywhere in the search path.
package struct WorkspaceMissing: ServiceError {
  package let location: WorkspaceLocation

  package init(location: WorkspaceLocation) { self.location = location }

  package var code: String { "no-workspace" }

  package var description: String {
    let creation = "run a pipeline (`penstock run FILE`) or start a host (`penstock serve`) to create it"
    return location.isNamed
      ? "\(location.searchText); \(creation), or name another directory"
      : "\(location.searchText); \(creation), or name one with --workspace DIR or $PENSTOCK_WORKSPACE"
  }
}

extension WorkspaceLocation {
  /// Whether the location was given explicitly, by an option or the environment.
  package var isNamed: Bool { origin == .option || origin == .environment }
}

extension WorkspaceLocation {
  /// Opens the history for reading; returns nil if no workspace exists yet and no option names one. With `isNeeded`, a workspace that the environment names
  /// must exist, too.
  ///
  /// - Throws: ``WorkspaceMissing``, or `WorkspaceError`.
  package func historyIfPresent(isNeeded: Bool = false) throws -> History? {
    guard hasDatabase else {
      guard origin == .option || isNeeded && isNamed else { return nil }
      throw WorkspaceMissing(location: self)
    }
    return try openForReading()
  }

  /// Opens the history for reading runs that must exist.
  ///
  /// - Throws: ``WorkspaceMissing``, or `WorkspaceError`.
  package func history() throws -> History {
    try requireDatabase()
    return try openForReading()
  }

  /// Opens the history for a command that writes. Runs whose host has ended are marked as interrupted.
  ///
  /// - Throws: ``WorkspaceMissing``, or `WorkspaceError`.
  package func writableHistory(
    first: OpenWorkspace.FirstConnection = .reader, durability: Durability
  ) throws -> History {
    try requireDatabase()
    let history = try History.open(at: path, mode: .readWrite, first: first, durability: durability)
    do {
      try history.markInterrupted()
    } catch .full {
      // Readers report them as interrupted all the same, and `prune` must be able to free space.
    }
    return history
  }

  /// Opens the history for a command that only reads, but brings recorded states and statistics up to date where it may write.
  ///
  /// - Returns: The history, and whether it may be written to: not if the workspace belongs to another user.
  package func historyForQueries(durability: Durability) throws -> (history: History, isWritable: Bool) {
    do {
      return (try writableHistory(durability: durability), true)
    } catch WorkspaceError.untrusted {
      return (try history(), false)
    }
  }

  func requireDatabase() throws(WorkspaceMissing) {
    guard hasDatabase else { throw WorkspaceMissing(location: self) }
  }

  /// A host that has ended may have left unmasked results, which must not wait for the next command that writes.
  private func openForReading() throws -> History {
    let history = try History.openForReading(at: path)
    history.markInterruptedIfPossible()
    return history
  }
}
