import PipelineLanguage
import RunHistory

/// The unanswered questions of a run; those of the runs that its operations have started come last.
package struct OpenQuestions {
  /// An unanswered question.
  package struct Question: Sendable {
    /// The operation that asks, preceded by those that lead to it from the run that was searched: `deploy/publish`.
    package var path: String
    /// The run that the operation belongs to.
    package var run: RunRecord
    package var approval: Approval
  }

  package let run: RunRecord
  private let history: History

  package init(of run: RunRecord, in history: History) {
    self.run = run
    self.history = history
  }

  package func all() throws -> [Question] { try all(of: run, prefix: "", depth: 0) }

  private func all(of run: RunRecord, prefix: String, depth: Int) throws -> [Question] {
    guard depth <= PipelineLoader.maximumDepth else { return [] }
    var found = try history.pendingApprovals(run.id).map {
      Question(path: prefix + $0.operation, run: run, approval: $0)
    }
    for started in try history.startedRuns(of: run.id) {
      guard let nested = try history.run(started.id) else { continue }
      found += try all(of: nested, prefix: "\(prefix)\(started.operation)/", depth: depth + 1)
    }
    return found
  }

  /// Returns the only unanswered question, for a caller that named no operation.
  ///
  /// - Throws: ``AnswerError``, or `WorkspaceError`.
  func only() throws -> (run: RunRecord, operation: String) {
    let pending = try all()
    if pending.count == 1 { return (pending[0].run, pending[0].approval.operation) }
    let short = RunReference(history: history).short(run.id)
    guard pending.isEmpty else {
      throw AnswerError.several(short: short, pending.map { .init(path: $0.path, message: $0.approval.message) })
    }
    if let over = try history.approvals(of: run.id).last(where: \.isOver) {
      throw AnswerError.nobodyWaits(over.operation, short: short, state: run.state)
    }
    throw AnswerError.nothingWaits(short: short)
  }
}
