import Expressions
import Values
import Workspace

extension History {
  /// Why the condition of a filter can be evaluated of no run at all, such as `fromJSON` of a text that is none; nil if it can be of some, or if
  /// runs differ in what goes wrong. Of the runs that the rest of the filter leaves, the latest hundred are asked.
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
