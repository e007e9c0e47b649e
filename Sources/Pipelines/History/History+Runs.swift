import GRDB
import Workspace

/// What came of looking for a run by the beginning of its id.
public enum RunResolution: Sendable, Hashable {
  /// Exactly one run is meant.
  case found(RunID)
  /// There is none.
  case none
  /// Several runs begin like that; the latest ones, at most twenty.
  case ambiguous([RunID])
}

/// What a command without a run id is about to do, which decides the run that it takes.
public enum RunPurpose: Sendable, Hashable {
  /// `resume`: the latest run that was interrupted.
  case resume
  /// `retry`: the latest run that failed, was cancelled or was interrupted.
  case retry
}

extension History {
  /// The runs that a filter admits.
  public func runs(_ filter: RunFilter = RunFilter()) throws(WorkspaceError) -> [RunRecord] { [] }

  /// One run, or nil if there is none with the id.
  public func run(_ id: RunID) throws(WorkspaceError) -> RunRecord? { nil }

  /// The operation instances of a run, by ordinal.
  public func operations(of run: RunID) throws(WorkspaceError) -> [OperationRecord] { [] }

  /// The attempts of a run, by operation and number; of one operation instance only, if `ordinal` is given.
  public func attempts(of run: RunID, ordinal: Int? = nil) throws(WorkspaceError) -> [AttemptRecord] { [] }

  /// The text of the definition that a run was started with.
  public func definition(of run: RunID) throws(WorkspaceError) -> String? { nil }

  /// The run that a person means by a text: an id, its beginning, or `last` or `latest`.
  public func resolve(_ text: String) throws(WorkspaceError) -> RunResolution { .none }

  /// The id, shortened to eight characters, or to as many more as tell it from every other run.
  public func shortForm(of run: RunID) throws(WorkspaceError) -> String { run.short }

  /// The run that a command without an id takes; nested runs are never taken.
  public func latestRun(for purpose: RunPurpose) throws(WorkspaceError) -> RunRecord? { nil }
}
