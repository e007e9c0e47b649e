// # Run history
//
// What is recorded of runs, and the questions that are asked of it. An ordinary user of `Workspace`: the tables and the public
// views are in ``HistorySchema``, the rows are ``RunRecord``, ``OperationRecord`` and ``AttemptRecord``, the engine writes
// them through ``HistoryRecorder``, everybody reads through ``History``. Nothing here knows how a run is executed.

import SQLite
import Workspace

/// Reads the history in a workspace, and makes the few changes that commands make.
///
/// A value over an ``OpenWorkspace``; any thread may use it. Methods block for as long as the query takes, usually less than a
/// millisecond.
public struct History: Sendable {
  /// The workspace.
  public let workspace: OpenWorkspace

  /// Reads the history of an open workspace, which must have been opened with ``HistorySchema/schema``.
  public init(workspace: OpenWorkspace) {
    self.workspace = workspace
  }

  /// Opens the workspace in a directory, creating it in mode `.readWrite` if there is none; `first` is the connection to begin with, and `durability` what
  /// an approval and the end of a run survive once they are reported.
  public static func open(
    at directory: String, mode: OpenWorkspace.Mode, first: OpenWorkspace.FirstConnection = .reader,
    patience: Duration = .seconds(30), durability: Durability = .powerLoss
  ) throws(WorkspaceError) -> History {
    History(
      workspace: try OpenWorkspace.open(
        at: directory, schema: HistorySchema.schema, mode: mode, first: first, patience: patience,
        durability: durability))
  }

  /// Opens the workspace in a directory for looking at it. Nothing is created; but one that an older version has written is brought to this
  /// version's form first, where that is permitted.
  package static func openForReading(at directory: String) throws(WorkspaceError) -> History {
    do throws(WorkspaceError) {
      return try open(at: directory, mode: .readOnly)
    } catch {
      guard case .readOnly = error else { throw error }
      return try open(at: directory, mode: .readWrite)
    }
  }

  /// Checks, without changing anything, that nothing keeps the workspace in a directory from being opened for writing; there need be none yet.
  ///
  /// - Throws: What does.
  package static func requireWritable(at directory: String) throws(WorkspaceError) {
    try OpenWorkspace.requireWritable(at: directory, schema: HistorySchema.schema)
  }

  /// Runs a query, with every error as the workspace's.
  package func read<T>(_ body: (Database) throws -> T) throws(WorkspaceError) -> T {
    do {
      return try workspace.read(body)
    } catch {
      throw WorkspaceError(error, path: workspace.path)
    }
  }

  /// Makes what was changed survive a power loss, before somebody is told of it.
  func flushToDisk() throws(WorkspaceError) {
    do {
      try workspace.flushToDisk()
    } catch {
      throw WorkspaceError(error, path: workspace.path)
    }
  }

  /// Runs a change, with every error as the workspace's.
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
