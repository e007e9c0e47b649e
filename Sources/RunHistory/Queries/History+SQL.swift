import Workspace

extension History {
  /// Prepares a query written by a person on the public views: read-only, authorized, and limited in steps.
  ///
  /// Read its `columns`, then its rows with `next()`; they are not collected in memory. Throws `GuardedQueryError` if
  /// the query is rejected or invalid, `WorkspaceError` if the workspace cannot be read. A workspace without write permission shows the recorded
  /// states: a run whose process no longer exists may be `running`.
  public func sql(_ text: String, stepLimit: Int = GuardedQuery.defaultStepLimit) throws -> GuardedQuery {
    try GuardedQuery(text, on: workspace, stepLimit: stepLimit)
  }
}
