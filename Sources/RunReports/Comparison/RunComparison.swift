import OrderedCollections
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// The differences between two runs: in their inputs and in their outcomes.
package struct RunComparison: Sendable {
  /// A value that differs between the runs; nil in a run that does not have it.
  package struct Difference: Sendable, Equatable {
    package var name: String
    package var first: String?
    package var second: String?
  }

  /// An operation, or an item of a loop, that differs between the runs.
  package struct Operation: Sendable, Equatable {
    package var name: String
    /// The label of an item in the second run, or in the only one that has it.
    package var label: String?
    /// `state`, `reused_from`, `error`, `attempts` and `result`, as far as they differ.
    package var differences: [Difference]
    /// In milliseconds; nil if it has not run.
    package var firstDuration: Double?
    package var secondDuration: Double?
    /// The logs that differ: `stdout`, `stderr`.
    package var logs: [Log] = []

    /// Whether it took at least twice or half as long, and the difference is noticeable: at least half a second.
    package var hasOtherDuration: Bool {
      guard let firstDuration, let secondDuration else { return false }
      let (shorter, longer) = (min(firstDuration, secondDuration), max(firstDuration, secondDuration))
      return longer >= 2 * shorter && longer - shorter >= RunComparison.noticeable
    }
  }

  /// A log that differs.
  package struct Log: Sendable, Equatable {
    package var stream: String
    package var lines: LineDifference
  }

  package let first: RunRecord
  package let second: RunRecord
  /// `pipeline`, `state`, `reason`, `trigger`, `host` and so on, as far as they differ.
  package private(set) var run: [Difference] = []
  package private(set) var params: [Difference] = []
  /// The variables of files under `env_file` whose values differ; only their hashes are recorded.
  package let variables: [VariableChange]
  /// The recorded definition.
  package private(set) var definition: LineDifference
  /// In the order of the second run, followed by operations that only the first one has.
  package private(set) var operations: [Operation] = []
  /// The minimum difference in duration that is shown, in milliseconds: smaller ones are mostly chance.
  private static let noticeable = 500.0
  /// The maximum length of a log that is compared, in bytes; only the beginning of a longer one is.
  private static let longestLog = 1 << 20

  /// Compares two runs of `history`, with their logs.
  package init(_ first: RecordedRun, _ second: RecordedRun, in history: History) throws(WorkspaceError) {
    self.first = first.run
    self.second = second.run
    variables = VariableChange.between(first.nestedDefinitions, second.nestedDefinitions)
    definition = LineDifference(from: first.definition, to: second.definition)
    compareRuns(instants: try Self.instants(first.run, second.run, in: history))
    params = Self.params(first.run.params, second.run.params)
    let workspace = history.workspace.directory
    let (left, right) = (Side(first, workspace: workspace), Side(second, workspace: workspace))
    let names = OrderedSet(second.operations.map(\.name) + first.operations.map(\.name))
    for name in names where !left.hasReusedLoop(of: name, in: right) && !right.hasReusedLoop(of: name, in: left) {
      let operation = Self.compare(name, left, right)
      if !operation.differences.isEmpty || operation.hasOtherDuration || !operation.logs.isEmpty {
        operations.append(operation)
      }
    }
  }

  /// Whether nothing differs except times and durations.
  package var isSame: Bool {
    run.isEmpty && params.isEmpty && variables.isEmpty && definition.isEmpty
      && operations.allSatisfy { $0.differences.isEmpty && $0.logs.isEmpty }
  }

  /// Returns the instants that the runs were explicitly started for; nil if each stands for its own start, or a retry for the instant of the other.
  private static func instants(
    _ first: RunRecord, _ second: RunRecord, in history: History
  ) throws(WorkspaceError) -> [RecordTime?] {
    guard first.instant ?? first.startedAt != second.instant ?? second.startedAt else { return [nil, nil] }
    return [try history.instantApart(of: first), try history.instantApart(of: second)]
  }

  private mutating func compareRuns(instants: [RecordTime?]) {
    let sides = zip([first, second], instants).map { run, instant -> [(String, String?)] in
      [
        ("pipeline", run.pipeline), ("state", run.state.rawValue), ("reason", run.reason),
        ("trigger", run.trigger.rawValue), ("controller", run.controller), ("event", run.event),
        ("at", instant?.text), ("ended", run.canceller?.words),
        ("labels", run.labels.isEmpty ? nil : run.labelsText), ("path", run.path),
        ("host", run.host), ("user", run.user), ("version", run.version),
      ]
    }
    for (left, right) in zip(sides[0], sides[1]) where left.1 != right.1 {
      run.append(Difference(name: left.0, first: left.1, second: right.1))
    }
  }

  private static func params(_ first: String, _ second: String) -> [Difference] {
    let left = JSONValue(recorded: first).objectValue ?? [:]
    let right = JSONValue(recorded: second).objectValue ?? [:]
    return OrderedSet(Array(right.keys) + Array(left.keys)).compactMap { name in
      left[name] == right[name] ? nil : Difference(name: name, first: left[name]?.text, second: right[name]?.text)
    }
  }

  // MARK: Operations

  /// One run, with its records by name.
  private struct Side {
    let operations: [String: OperationRecord]
    let names: [Int: String]
    let attempts: [Int: AttemptRecord]
    let workspace: String

    init(_ run: RecordedRun, workspace: String) {
      operations = Dictionary(run.operations.map { ($0.name, $0) }) { $1 }
      names = Dictionary(run.operations.map { ($0.ordinal, $0.name) }) { $1 }
      attempts = Dictionary(run.attempts.map { ($0.ordinal, $0) }) { $0.number > $1.number ? $0 : $1 }
      self.workspace = workspace
    }

    /// Returns whether `name`, which only the other run has, is an item of a loop that this run has reused as a whole.
    func hasReusedLoop(of name: String, in other: Side) -> Bool {
      guard operations[name] == nil, let loop = other.operations[name]?.parent.flatMap({ other.names[$0] }) else {
        return false
      }
      return operations[loop]?.state == .reused
    }

    /// Returns the beginning of a log of the latest attempt; empty if there is none.
    func log(_ file: KeyPath<AttemptRecord, String?>, of name: String) -> String {
      guard let path = operations[name].flatMap({ attempts[$0.ordinal] })?[keyPath: file] else { return "" }
      let bytes = try? RunFilePath.open(path, in: workspace).prefix(longestLog)
      return String(decoding: bytes ?? [], as: UTF8.self)
    }
  }

  private static func compare(_ name: String, _ left: Side, _ right: Side) -> Operation {
    let (one, other) = (left.operations[name], right.operations[name])
    // A reused operation has no attempts, logs or duration of its own.
    let isReused = [one, other].contains { $0?.state == .reused }
    let isSuccess = [one, other].allSatisfy { $0?.isDone == true }
    var operation = Operation(
      name: name, label: (other ?? one)?.label, differences: [],
      firstDuration: isReused ? nil : one.flatMap(duration), secondDuration: isReused ? nil : other.flatMap(duration))
    func compare(_ title: String, _ value: (OperationRecord) -> String?) {
      let (first, second) = (one.flatMap(value), other.flatMap(value))
      if first != second { operation.differences.append(Difference(name: title, first: first, second: second)) }
    }
    compare("error") { $0.error?.message }
    if !isReused { compare("attempts") { $0.attempts > 0 ? String($0.attempts) : nil } }
    compare("result") { record in
      switch record.result {
      case .none: nil
      case .inline(let text): text
      case .file(_, let size): "\(SizeNotation.format(size)) in a file"
      }
    }
    // If both succeeded, it matters which run executed them only if something else differs.
    if !(isReused && isSuccess) || !operation.differences.isEmpty {
      let others = operation.differences
      operation.differences = []
      compare("state") { $0.state.rawValue }
      compare("reused_from") { $0.reusedFrom?.text }
      operation.differences += others
    }
    guard !isReused else { return operation }
    for (stream, file) in [("stdout", \AttemptRecord.standardOutput), ("stderr", \AttemptRecord.standardError)] {
      let lines = LineDifference(from: left.log(file, of: name), to: right.log(file, of: name))
      if !lines.isEmpty { operation.logs.append(Log(stream: stream, lines: lines)) }
    }
    return operation
  }

  private static func duration(_ record: OperationRecord) -> Double? {
    guard let start = record.startedAt, let end = record.endedAt else { return nil }
    return Double(end.microseconds - start.microseconds) / 1000
  }
}
