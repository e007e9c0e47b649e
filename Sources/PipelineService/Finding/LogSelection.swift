import Expressions
import RunHistory

/// A selection of the logs of a run.
package struct LogSelection {
  /// The path to the operation, through the operations that started nested runs; includes its items and the runs that it started. Empty for all operations.
  package var path: [String]
  package var attempt: Int?
  package var allAttempts: Bool
  /// Whether to select only operations whose latest attempt failed.
  package var onlyFailed: Bool

  package init(path: [String], attempt: Int? = nil, allAttempts: Bool = false, onlyFailed: Bool = false) {
    self.path = path
    self.attempt = attempt
    self.allAttempts = allAttempts
    self.onlyFailed = onlyFailed
  }
}

/// One log file: a stream of an attempt.
package struct LogSource: Hashable {
  package enum Stream: String {
    case standardOutput = "stdout"
    case standardError = "stderr"
  }

  package var run: RunID
  /// The name of the operation, preceded by those of the operations that started its run.
  package var name: String
  /// The label of an item.
  package var label: String?
  package var attempt: Int
  package var stream: Stream
  package var file: RunFilePath
  /// Whether it belongs to a run that the selected operation has started.
  package var isBelow: Bool
  /// Whether it belongs to one of several items of the selected loop.
  package var isOneOfSeveral: Bool

  /// Its name in a log index; nil if it has none.
  package var log: LogName? { LogName(file.name) }
}

/// The logs of one attempt: at most one per stream, standard output first.
package struct LoggedAttempt {
  package var sources: [LogSource]
  package var startedAt: RecordTime
  package var endedAt: RecordTime?

  /// In microseconds. If an attempt took no longer and there is no index, its end is used as the time of its lines.
  private static let short: Int64 = 50_000

  /// When its lines were written, if that follows from its record.
  package var timeOfLines: RecordTime? {
    endedAt.flatMap { $0.microseconds - startedAt.microseconds <= Self.short ? $0 : nil }
  }
}

extension LogSelection {
  /// Returns the recorded logs of a run, ordered by the start of their attempts, or by item for the selected loop; those of nested runs come last.
  package func attempts(of run: RunID, in history: History) -> [LoggedAttempt] {
    attempts(of: run, in: history, prefix: "", depth: 0, isBelow: false)
  }

  private func attempts(
    of run: RunID, in history: History, prefix: String, depth: Int, isBelow: Bool
  ) -> [LoggedAttempt] {
    guard depth < 20, let operations = try? history.operations(of: run), let attempts = try? history.attempts(of: run)
    else {
      return []
    }
    let chosen = chosen(of: operations, attempts)
    var all: [LoggedAttempt] = []
    if path.count < 2 {
      let byOrdinal = Dictionary(chosen.map { ($0.ordinal, $0) }) { $1 }
      let loops = isBelow ? [] : selectedLoops(of: operations)
      let latest = Dictionary(attempts.map { ($0.ordinal, $0.number) }) { max($0, $1) }
      let ordered = attempts.sorted {
        loops.isEmpty ? $0.startedAt < $1.startedAt : ($0.ordinal, $0.number) < ($1.ordinal, $1.number)
      }
      for record in ordered {
        guard let operation = byOrdinal[record.ordinal],
          allAttempts || record.number == attempt ?? latest[record.ordinal]
        else { continue }
        let files = [(LogSource.Stream.standardOutput, record.standardOutput), (.standardError, record.standardError)]
        let sources = files.compactMap { stream, name in
          name.flatMap(RunFilePath.init).map { file in
            LogSource(
              run: run, name: prefix + operation.name, label: operation.label, attempt: record.number, stream: stream,
              file: file, isBelow: isBelow, isOneOfSeveral: operation.parent.map(loops.contains) ?? false)
          }
        }
        guard !sources.isEmpty else { continue }
        all.append(LoggedAttempt(sources: sources, startedAt: record.startedAt, endedAt: record.endedAt))
      }
    }
    let started = (try? history.startedRuns(of: run)) ?? []
    guard !started.isEmpty else { return all }
    var inner = LogSelection(path: Array(path.dropFirst()), allAttempts: allAttempts, onlyFailed: onlyFailed)
    // An attempt number applies to the operation at the end of the path.
    if path.count > 1 { inner.attempt = attempt }
    for operation in chosen {
      let runs = started.filter { $0.operation == operation.name }
      for nested in shown(runs, attempts.filter { $0.ordinal == operation.ordinal }) {
        all += inner.attempts(
          of: nested, in: history, prefix: "\(prefix)\(operation.name)/", depth: depth + 1,
          isBelow: isBelow || path.count == 1)
      }
    }
    return all
  }

  /// Returns which of the runs that an operation has started are shown, given its attempts.
  private func shown(
    _ runs: [(id: RunID, operation: String, createdAt: RecordTime)], _ attempts: [AttemptRecord]
  ) -> [RunID] {
    if allAttempts { return runs.map(\.id) }
    guard path.count < 2, let attempt else { return runs.suffix(1).map(\.id) }
    guard let chosen = attempts.first(where: { $0.number == attempt }) else { return [] }
    return runs.filter { $0.createdAt >= chosen.startedAt && $0.createdAt <= chosen.endedAt ?? $0.createdAt }.map(\.id)
  }

  /// Returns the selected operations and items of a run that are recorded so far.
  package func instances(of run: RunID, in history: History) throws -> [OperationRecord] {
    chosen(of: try history.operations(of: run), try history.attempts(of: run))
  }

  private func chosen(of operations: [OperationRecord], _ attempts: [AttemptRecord]) -> [OperationRecord] {
    var chosen = operations
    if let name = path.first {
      let named = Set(InstanceName(text: name).meant(in: operations).map(\.ordinal))
      chosen = operations.filter { named.contains($0.ordinal) || ($0.parent.map(named.contains) ?? false) }
    }
    guard onlyFailed else { return chosen }
    var latest: [Int: AttemptRecord] = [:]
    for attempt in attempts where attempt.number >= latest[attempt.ordinal]?.number ?? 0 {
      latest[attempt.ordinal] = attempt
    }
    // If the path continues, the operation only leads to a nested run and need not have failed itself.
    return chosen.filter { path.count > 1 || latest[$0.ordinal]?.state == .failed }
  }

  /// Returns the ordinals of the named loops that have several items.
  private func selectedLoops(of operations: [OperationRecord]) -> Set<Int> {
    guard let name = path.first else { return [] }
    let named = Set(InstanceName(text: name).meant(in: operations).map(\.ordinal))
    var items: [Int: Int] = [:]
    for operation in operations { if let parent = operation.parent { items[parent, default: 0] += 1 } }
    return named.filter { items[$0] ?? 0 > 1 }
  }
}
