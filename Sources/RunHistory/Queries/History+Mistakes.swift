import Expressions
import Values
import Workspace

extension History {
  /// Returns why a filter's condition cannot be evaluated for any run, such as `fromJSON` of invalid text, or nil if it can be for some, or if the
  /// errors differ. Of the runs that match the rest of the filter, the latest hundred are tried.
  public func mistake(in filter: RunFilter) throws(WorkspaceError) -> ExpressionError? {
    guard let condition = filter.condition else { return nil }
    var filter = filter
    filter.limit = 100
    let runs = try read { try RunListing(filter: filter).candidates(in: $0) }
    var mistake: ExpressionError?
    for run in runs {
      do throws(ExpressionError) {
        _ = try condition.holds(of: run)
        return nil
      } catch {
        guard mistake == nil || mistake?.code == error.code && mistake?.position == error.position else { return nil }
        mistake = mistake ?? error
      }
    }
    return mistake
  }
}
