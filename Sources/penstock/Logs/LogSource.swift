import Pipelines

/// Which logs are shown.
struct LogSelection {
  /// The operation, with the items of its loop; nil for all.
  var operation: String?
  var attempt: Int?
  var allAttempts: Bool
}

/// One log file: a stream of an attempt.
struct LogSource: Hashable {
  enum Stream: String {
    case standardOutput = "stdout"
    case standardError = "stderr"
  }

  var run: RunID
  /// The name of the operation, after those of the operations that started the run it belongs to.
  var name: String
  var attempt: Int
  var stream: Stream
  /// The absolute path.
  var path: String
}

extension LogSelection {
  /// The logs of a run as far as they are recorded, in the order in which their attempts began.
  func sources(of run: RunID, in history: History, prefix: String = "", depth: Int = 0) -> [LogSource] {
    guard depth < 20, let operations = try? history.operations(of: run), let attempts = try? history.attempts(of: run)
    else {
      return []
    }
    let byOrdinal = Dictionary(operations.map { ($0.ordinal, $0) }) { $1 }
    let chosen = Set(operations.filter { isChosen($0, byOrdinal) }.map(\.ordinal))
    let latest = Dictionary(attempts.map { ($0.ordinal, $0.number) }) { max($0, $1) }
    var sources: [(start: RecordTime, source: LogSource)] = []
    for record in attempts where chosen.contains(record.ordinal) {
      guard allAttempts || record.number == attempt ?? latest[record.ordinal], let operation = byOrdinal[record.ordinal]
      else {
        continue
      }
      let files = [(LogSource.Stream.standardOutput, record.standardOutput), (.standardError, record.standardError)]
      for case (let stream, let file?) in files {
        let path = "\(history.workspace.directory)/\(file)"
        let source = LogSource(
          run: run, name: prefix + operation.name, attempt: record.number, stream: stream, path: path)
        sources.append((record.startedAt, source))
      }
    }
    var all = sources.sorted { $0.start < $1.start }.map(\.source)
    for operation in operations where chosen.contains(operation.ordinal) {
      guard let nested = StateReason.detail(of: operation)["run"]?.stringValue.flatMap({ RunID($0) }) else { continue }
      let everything = LogSelection(operation: nil, attempt: nil, allAttempts: allAttempts)
      all += everything.sources(of: nested, in: history, prefix: "\(prefix)\(operation.name)/", depth: depth + 1)
    }
    return all
  }

  private func isChosen(_ record: OperationRecord, _ all: [Int: OperationRecord]) -> Bool {
    guard let operation else { return true }
    return record.name == operation || record.parent.flatMap { all[$0]?.name } == operation
  }
}
