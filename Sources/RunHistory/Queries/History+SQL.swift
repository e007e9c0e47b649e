import Workspace

extension History {
  /// Prepares a query that a person wrote, over the public views: read-only, authorized, and bounded in steps.
  ///
  /// Take its ``GuardedQuery/columns``, then its rows with ``GuardedQuery/next()``; they are not gathered in memory. Throws
  /// ``GuardedQueryError`` if the query is refused or wrong, ``WorkspaceError`` if the workspace cannot be read. A workspace
  /// that nobody may write shows the recorded states: a run whose process is gone may be `running` in it.
  public func sql(_ text: String, stepLimit: Int = GuardedQuery.defaultStepLimit) throws -> GuardedQuery {
    try GuardedQuery(text, on: workspace, stepLimit: stepLimit)
  }
}
