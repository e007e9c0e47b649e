import RunHistory

/// A request to end a run, which its host hears of.
package struct RunCancellation: Sendable {
  package let run: RunRecord
  /// Its id as it is shown.
  package let short: String
  /// Whether it was queued and has ended by that, as no host had to be asked.
  package let isOver: Bool
  /// Whether nobody executes it, because it is interrupted and no host serves the workspace: then the next host ends it.
  package let isLeftToNextHost: Bool

  /// Asks the host of a run to end it; of an interrupted run, that of the workspace.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - isKill: Whether its processes get no time to end.
  ///   - who: The login name of who asks.
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
      "run \(short) of \(run.pipeline) is \(run.state.rawValue): there is nothing to cancel"
    }
  }
}
