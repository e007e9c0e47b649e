import RunHistory
import Workspace

/// There is no workspace where one is needed: at the path that somebody named, or anywhere that was looked at.
package struct WorkspaceMissing: ServiceError {
  package let location: WorkspaceLocation

  package init(location: WorkspaceLocation) { self.location = location }

  package var code: String { "no-workspace" }

  package var description: String {
    let creation = "create one with `penstock run FILE` or `penstock serve`"
    return location.isNamed
      ? "\(location.searchText); \(creation)"
      : "\(location.searchText). \(creation), --workspace or $PENSTOCK_WORKSPACE names another"
  }
}

extension WorkspaceLocation {
  /// Whether somebody has said where it is.
  package var isNamed: Bool { origin == .option || origin == .environment }
}

extension WorkspaceLocation {
  /// Opens the history for looking at it; nil where there is no workspace yet and no option names one. `isNeeded` refuses one that the environment names, too.
  ///
  /// - Throws: ``WorkspaceMissing``, or `WorkspaceError`.
  package func historyIfPresent(isNeeded: Bool = false) throws -> History? {
    guard hasDatabase else {
      guard origin == .option || isNeeded && isNamed else { return nil }
      throw WorkspaceMissing(location: self)
    }
    return try openForReading()
  }

  /// Opens the history for looking at runs that must be there.
  ///
  /// - Throws: ``WorkspaceMissing``, or `WorkspaceError`.
  package func history() throws -> History {
    try requireDatabase()
    return try openForReading()
  }

  /// Opens the history for a command that writes. Runs whose host is gone are noticed.
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
      // Readers say so all the same, and `prune` must be able to make room.
    }
    return history
  }

  func requireDatabase() throws(WorkspaceMissing) {
    guard hasDatabase else { throw WorkspaceMissing(location: self) }
  }

  /// A host that is gone may have left unmasked results, which are not to wait for the next command that writes.
  private func openForReading() throws -> History {
    let history = try History.openForReading(at: path)
    history.markInterruptedIfPossible()
    return history
  }
}
