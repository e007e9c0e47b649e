import GRDB
import Workspace

extension History {
  /// Answers a question. `operation` is the name of the instance.
  public func answerApproval(
    _ run: RunID, operation: String, approved: Bool, note: String?, who: String, at time: RecordTime = .now
  ) throws(WorkspaceError) -> ApprovalOutcome { .notAsked(pending: []) }

  /// The questions of a run that nobody has answered.
  public func pendingApprovals(_ run: RunID) throws(WorkspaceError) -> [Approval] { [] }

  /// The questions of a run, answered or not, by ordinal.
  public func approvals(of run: RunID) throws(WorkspaceError) -> [Approval] { [] }

  /// Asks the host of a run to do something, and notifies it.
  public func request(_ request: RunRequest, of run: RunID, at time: RecordTime = .now) throws(WorkspaceError) {}

  /// The requests for a run that nobody has taken yet, which are taken by this. Costs one read when there is none.
  public func takeRequests(_ run: RunID) throws(WorkspaceError) -> [RunRequest] { [] }
}
