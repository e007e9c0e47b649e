import RunHistory
import Workspace

/// What goes on in a workspace at the moment: runs, questions that wait for an answer, and leases.
package struct Activity: Sendable {
  /// A run that goes on.
  package struct ActiveRun: Sendable {
    package var record: RunRecord
    /// Its operations that have begun and not ended, by ordinal; those of loops and nested runs stand for what is in them.
    package var operations: [OperationRecord]

    package init(record: RunRecord, operations: [OperationRecord]) {
      self.record = record
      self.operations = operations
    }
  }

  /// Those that no other run has started: first those that have begun, then those that are queued, the earliest first.
  package var runs: [ActiveRun]
  /// How many more runs are queued than are among ``runs``, as far as that is known.
  package var moreQueued = 0
  /// Those of all runs, by run.
  package var questions: [OpenQuestions.Question]
  /// By name.
  package var leases: [Lease]

  /// How many runs that are queued are looked at: a hundred thousand may be.
  private static let mostQueued = 100

  package init(runs: [ActiveRun], questions: [OpenQuestions.Question], leases: [Lease]) {
    self.runs = runs
    self.questions = questions
    self.leases = leases
  }

  /// Looks for it; with labels, for the runs that have them, their questions and the leases that they hold themselves.
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
