import RunHistory
import Workspace

/// The current activity in a workspace: runs, unanswered questions, and leases.
package struct Activity: Sendable {
  /// An active run.
  package struct ActiveRun: Sendable {
    package var record: RunRecord
    /// Its operations that have begun and not ended, by ordinal; loops and nested runs stand for their contents.
    package var operations: [OperationRecord]

    package init(record: RunRecord, operations: [OperationRecord]) {
      self.record = record
      self.operations = operations
    }
  }

  /// The runs that no other run has started: first those that have begun, then those that are queued, each oldest first.
  package var runs: [ActiveRun]
  /// How many queued runs are not among ``runs``, as far as that is known.
  package var moreQueued = 0
  /// The questions of all runs, by run.
  package var questions: [OpenQuestions.Question]
  /// The leases, by name.
  package var leases: [Lease]

  /// The maximum number of queued runs to read: there may be a hundred thousand.
  private static let mostQueued = 100

  package init(runs: [ActiveRun], questions: [OpenQuestions.Question], leases: [Lease]) {
    self.runs = runs
    self.questions = questions
    self.leases = leases
  }

  /// Reads the activity; with labels, only that of the runs that have them, their questions and the leases that they hold themselves.
  package init(in history: History, labels: [RunLabel] = []) throws {
    let going = try history.runs(RunFilter(states: [.running], labels: labels, order: .oldestFirst))
    let queued = try history.runs(
      RunFilter(states: [.queued], labels: labels, limit: Self.mostQueued, order: .oldestFirst))
    if labels.isEmpty, queued.count == Self.mostQueued {
      let counts = try history.queueCounts()
      moreQueued = max(0, counts.queued - queued.count)
    }
    runs = try (going + queued).map { record in
      let operations = try history.operations(of: record.id).filter { operation in
        operation.parent == nil && !operation.state.isFinal && operation.state != .pending
      }
      return ActiveRun(record: record, operations: operations)
    }
    questions = try runs.flatMap { try OpenQuestions(of: $0.record, in: history).all() }
    let all = try history.leases()
    let wanted = Set(runs.map(\.record.id))
    leases = labels.isEmpty ? all : all.filter { LeaseHolder($0.holder)?.run.map(wanted.contains) ?? false }
  }
}
