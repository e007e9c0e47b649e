import RunHistory
import Workspace

/// There is no workspace where one is needed.
package enum WorkspaceMissing: ServiceError {
  /// At a path that somebody named.
  case named(String)
  /// Anywhere that was looked at, which the text says.
  case notFound(String)

  package var code: String { "no-workspace" }

  package var description: String {
    switch self {
    case .named(let path): "there is no workspace at '\(path)'; a workspace is created by the first `penstock run`"
    case .notFound(let search): "\(search). `penstock run FILE` creates a workspace, --workspace names another"
    }
  }
}

extension WorkspaceLocation {
  /// Opens the history for looking at it; nil where there is no workspace yet and nobody named one.
  ///
  /// - Throws: ``WorkspaceMissing``, or `WorkspaceError`.
  package func historyIfPresent() throws -> History? {
    guard hasDatabase else {
      guard origin == .option else { return nil }
      throw WorkspaceMissing.named(path)
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
  package func writableHistory(durability: Durability) throws -> History {
    try requireDatabase()
    let history = try History.open(at: path, mode: .readWrite, durability: durability)
    do {
      try history.markInterrupted()
    } catch .full {
      // Readers say so all the same, and `prune` must be able to make room.
    }
    return history
  }

  func requireDatabase() throws(WorkspaceMissing) {
    guard hasDatabase else { throw .notFound(searchText) }
  }

  /// A host that is gone may have left unmasked results, which are not to wait for the next command that writes.
  private func openForReading() throws -> History {
    let history = try History.openForReading(at: path)
    history.markInterruptedIfPossible()
    return history
  }
}
