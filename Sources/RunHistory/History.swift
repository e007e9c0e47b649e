// # Run history
//
// The records of runs, and the queries on them. An ordinary user of `Workspace`: the tables and the public views are in ``HistorySchema``, the rows
// are ``RunRecord``, ``OperationRecord`` and ``AttemptRecord``; the engine writes them through ``HistoryRecorder``, and everything else reads them
// through ``History``. Nothing here knows how a run is executed.

import SQLite
import Workspace

/// Reads the history in a workspace, and makes the few changes that commands make.
///
/// A value over an `OpenWorkspace`, which may be used from any thread. Methods block for as long as the query takes, usually less than a millisecond.
public struct History: Sendable {
  /// The workspace.
  public let workspace: OpenWorkspace

  /// Creates the history of an open workspace, which must have been opened with ``HistorySchema/schema``.
  public init(workspace: OpenWorkspace) {
    self.workspace = workspace
  }

  /// Opens the workspace in a directory, creating it in mode `.readWrite` if there is none. `first` is the connection to open first, and `durability`
  /// is what an approval and the end of a run survive once they are reported.
  public static func open(
    at directory: String, mode: OpenWorkspace.Mode, first: OpenWorkspace.FirstConnection = .reader,
    patience: Duration = .seconds(30), durability: Durability = .powerLoss
  ) throws(WorkspaceError) -> History {
    History(
      workspace: try OpenWorkspace.open(
        at: directory, schema: HistorySchema.schema, mode: mode, first: first, patience: patience,
        durability: durability))
  }

  /// Opens the workspace in a directory for reading. Nothing is created, but the schema of a workspace written by an older version is migrated first,
  /// if that is permitted.
  package static func openForReading(at directory: String) throws(WorkspaceError) -> History {
    do throws(WorkspaceError) {
      return try open(at: directory, mode: .readOnly)
    } catch {
      guard case .readOnly = error else { throw error }
      return try open(at: directory, mode: .readWrite)
    }
  }

  /// Checks, without changing anything, that the workspace in a directory can be opened for writing. It need not exist yet.
  ///
  /// - Throws: The error that prevents it.
  package static func requireWritable(at directory: String) throws(WorkspaceError) {
    try OpenWorkspace.requireWritable(at: directory, schema: HistorySchema.schema)
  }

  /// Runs a query, converting every error to a `WorkspaceError`.
  package func read<T>(_ body: (Database) throws -> T) throws(WorkspaceError) -> T {
    do {
      return try workspace.read(body)
    } catch {
      throw WorkspaceError(error, path: workspace.path)
    }
  }

  /// Makes changes survive a power loss, before they are reported.
  func flushToDisk() throws(WorkspaceError) {
    do {
      try workspace.flushToDisk()
    } catch {
      throw WorkspaceError(error, path: workspace.path)
    }
  }

  /// Runs a change, converting every error to a `WorkspaceError`.
  func write<T>(
    changing types: ChangedTypes? = nil, _ body: (Database) throws -> T
  ) throws(WorkspaceError) -> T {
    do {
      return try workspace.write(changing: types, body)
    } catch {
      throw WorkspaceError(error, path: workspace.path)
    }
  }
}
