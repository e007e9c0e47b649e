import RunHistory

/// A request to cancel a run; its host is notified.
package struct RunCancellation: Sendable {
  package let run: RunRecord
  /// The run's short id for display.
  package let short: String
  /// Whether the run was queued and has thereby ended, because no host had to be notified.
  package let isOver: Bool
  /// Whether the cancellation is left to the next host, because the run is interrupted and no host serves the workspace.
  package let isLeftToNextHost: Bool

  /// Asks the host of a run to cancel it; for an interrupted run, the host of the workspace.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - isKill: Whether to kill its processes without a grace period.
  ///   - who: The login name of the requester.
  ///   - history: The history, for writing.
  /// - Throws: ``RunEnded``, or `WorkspaceError`.
  package init(of run: RunRecord, isKill: Bool, who: String, in history: History) throws {
    self.run = run
    short = RunReference(history: history).short(run.id)
    guard !run.state.isFinal || run.state == .interrupted else { throw RunEnded(run: run, short: short) }
    try history.request(
      isKill ? .kill : .cancel, of: run.id, for: RunCanceller(who: who, means: isKill ? .kill : .command))
    isLeftToNextHost = try run.state == .interrupted && history.currentHost() == nil
    isOver = try history.run(run.id)?.state == .cancelled
  }

  /// The run has ended, so there is nothing to cancel.
  package struct RunEnded: ServiceError {
    package let run: RunRecord
    package let short: String

    package var code: String { "run-ended" }

    package var description: String {
      "run \(short) of \(run.pipeline) cannot be cancelled: it has already ended (\(run.state.rawValue))"
    }
  }
}
