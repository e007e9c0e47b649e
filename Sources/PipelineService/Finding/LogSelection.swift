import Expressions
import RunHistory

/// Which logs of a run are meant.
package struct LogSelection {
  /// The operation, with the items of its loop and the runs that it has started, behind those that lead to it; empty for all.
  package var path: [String]
  package var attempt: Int?
  package var allAttempts: Bool

  package init(path: [String], attempt: Int? = nil, allAttempts: Bool = false) {
    self.path = path
    self.attempt = attempt
    self.allAttempts = allAttempts
  }
}

/// One log file: a stream of an attempt.
package struct LogSource: Hashable {
  package enum Stream: String {
    case standardOutput = "stdout"
    case standardError = "stderr"
  }

  package var run: RunID
  /// The name of the operation, after those of the operations that started the run it belongs to.
  package var name: String
  package var attempt: Int
  package var stream: Stream
  package var file: RunFilePath
  /// Whether it is of a run that the selected operation has started.
  package var isBelow: Bool
}

extension LogSelection {
  /// The logs of a run as far as they are recorded, in the order in which their attempts began; those of nested runs behind them.
  package func sources(of run: RunID, in history: History) -> [LogSource] {
    sources(of: run, in: history, prefix: "", depth: 0, isBelow: false)
  }

  private func sources(
    of run: RunID, in history: History, prefix: String, depth: Int, isBelow: Bool
  ) -> [LogSource] {
    guard depth < 20, let operations = try? history.operations(of: run), let attempts = try? history.attempts(of: run)
    else {
      return []
    }
    let byOrdinal = Dictionary(operations.map { ($0.ordinal, $0) }) { $1 }
    let chosen = operations.filter { isChosen($0, byOrdinal) }
    var all: [LogSource] = []
    if path.count < 2 {
      let ordinals = Set(chosen.map(\.ordinal))
      let latest = Dictionary(attempts.map { ($0.ordinal, $0.number) }) { max($0, $1) }
      for record in attempts.sorted(by: { $0.startedAt < $1.startedAt }) where ordinals.contains(record.ordinal) {
        guard allAttempts || record.number == attempt ?? latest[record.ordinal],
          let operation = byOrdinal[record.ordinal]
        else { continue }
        let files = [(LogSource.Stream.standardOutput, record.standardOutput), (.standardError, record.standardError)]
        for (stream, name) in files {
          guard let file = name.flatMap(RunFilePath.init) else { continue }
          all.append(
            LogSource(
              run: run, name: prefix + operation.name, attempt: record.number, stream: stream, file: file,
              isBelow: isBelow))
        }
      }
    }
    let started = (try? history.startedRuns(of: run)) ?? []
    guard !started.isEmpty else { return all }
    var inner = LogSelection(path: Array(path.dropFirst()), allAttempts: allAttempts)
    // A number of an attempt is one of the operation that the path ends at.
    if path.count > 1 { inner.attempt = attempt }
    for operation in chosen {
      let runs = started.filter { $0.operation == operation.name }
      for nested in shown(runs, attempts.filter { $0.ordinal == operation.ordinal }) {
        all += inner.sources(
          of: nested, in: history, prefix: "\(prefix)\(operation.name)/", depth: depth + 1,
          isBelow: isBelow || path.count == 1)
      }
    }
    return all
  }

  /// Which of the runs that an operation has started are shown, by its attempts.
  private func shown(
    _ runs: [(id: RunID, operation: String, createdAt: RecordTime)], _ attempts: [AttemptRecord]
  ) -> [RunID] {
    if allAttempts { return runs.map(\.id) }
    guard path.count < 2, let attempt else { return runs.suffix(1).map(\.id) }
    guard let chosen = attempts.first(where: { $0.number == attempt }) else { return [] }
    return runs.filter { $0.createdAt >= chosen.startedAt && $0.createdAt <= chosen.endedAt ?? $0.createdAt }.map(\.id)
  }

  private func isChosen(_ record: OperationRecord, _ all: [Int: OperationRecord]) -> Bool {
    guard let name = path.first else { return true }
    return OperationName.areSame(record.name, name)
      || record.parent.flatMap { all[$0]?.name }.map { OperationName.areSame($0, name) } ?? false
  }
}
