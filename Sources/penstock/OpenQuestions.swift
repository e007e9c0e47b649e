import PipelineLanguage
import RunHistory

/// The questions of a run that wait for an answer, those of the runs that its operations have started behind its own.
struct OpenQuestions {
  /// One of them.
  struct Question {
    /// The operation that asks, behind those that lead to it from the run that was asked for: `deploy/publish`.
    var path: String
    /// The run that the operation belongs to.
    var run: RunRecord
    var approval: Approval
  }

  let run: RunRecord
  private let history: History

  init(of run: RunRecord, in history: History) {
    self.run = run
    self.history = history
  }

  func all() throws -> [Question] { try all(of: run, prefix: "", depth: 0) }

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
}
