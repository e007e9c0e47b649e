import PipelineLanguage
import RunHistory

/// The parts of an explanation about runs that an operation has started: one line per run, and the command that explains it further.
extension RunExplanation {
  /// A run that an operation has started.
  package struct Nested: Sendable {
    /// The complete recorded run.
    package var recorded: RecordedRun
    /// The short id, for commands.
    package var shortID: String

    /// Creates a nested run with its short id for commands.
    package init(recorded: RecordedRun, shortID: String) {
      self.recorded = recorded
      self.shortID = shortID
    }
  }

  /// Returns the latest run that an operation of a run has started.
  package typealias NestedRuns = @Sendable (_ parent: RunID, _ operation: String) -> Nested?

  /// The maximum number of items of a loop, and of operations of a nested run, that are described.
  static let limit = 2
  /// The maximum depth of nested runs that are followed.
  private static let maximumDepth = 5

  /// Returns the lines and remedies for the runs that `record` has started.
  func nestedLines(of record: OperationRecord) -> (because: [String], remedies: [String]) {
    var because: [String] = []
    var remedies: [String] = []
    guard startsRuns(record.name) else { return ([], []) }
    let items = recorded.operations.filter { $0.parent == record.ordinal && $0.state != .succeeded }
    for holder in items.isEmpty ? [record] : Array(items.prefix(Self.limit)) {
      guard let nested = nestedRun(of: holder) else { continue }
      remedies.append("penstock explain \(nested.shortID)")
      remedies += wakeRemedies(
        nested.recorded.operations.filter { $0.state == .retrying }, of: nested.recorded.run, nested.shortID)
      // The error of the operation may already say the same.
      if let error = holder.error, error.message.contains(nested.recorded.run.id.text) { continue }
      let whose = holder.name == record.name ? "its run" : "the run of '\(holder.title)',"
      because.append("\(whose) \(summary(of: nested, depth: 1))")
    }
    return (because, remedies)
  }

  private func startsRuns(_ name: String) -> Bool {
    let plain = String(name.prefix { $0 != "[" })
    let definition =
      pipeline?.operations.first { $0.name == plain }
      ?? pipeline?.handlers.first { $0.operation.name == plain }?.operation
    return definition.map { $0.action.kind.nestedPath != nil } ?? (pipeline == nil)
  }

  /// Returns the nested run that explains where the operation is, ignoring those of earlier attempts.
  private func nestedRun(of holder: OperationRecord) -> Nested? {
    guard let nested = nestedRuns(run.id, holder.name) else { return nil }
    let run = nested.recorded.run
    switch run.state {
    case .succeeded: return nil
    case .queued, .running, .interrupted: return nested
    case .failed, .cancelled:
      guard holder.state == .running || holder.state == .failed || holder.state == .cancelled else { return nil }
      let attempt = recorded.attempts.last { $0.ordinal == holder.ordinal }
      return run.createdAt < attempt?.startedAt ?? run.createdAt ? nil : nested
    }
  }

  /// `03kx9fab waits: g waits for connected: connected is false, since 14:03:01`.
  private func summary(of nested: Nested, depth: Int) -> String {
    let run = nested.recorded.run
    let operations = nested.recorded.operations
    let told: [OperationState] =
      switch run.state {
      case .queued, .running: [.waiting, .retrying, .running]
      case .failed: [.failed]
      case .interrupted: [.pending, .failed]
      case .cancelled, .succeeded: []
      }
    var open = told.flatMap { state in operations.filter { $0.state == state } }
    // A loop is described by its items.
    let loops = Set(open.compactMap(\.parent))
    open.removeAll { loops.contains($0.ordinal) }
    let isWaiting = run.state == .running && !open.isEmpty && !open.contains { $0.state == .running }
    let lines = open.compactMap { line(of: $0, in: nested, depth: depth) }
    var text = "\(nested.shortID) \(isWaiting ? "waits" : Self.verb(run))"
    guard !lines.isEmpty else { return text + (run.tellingReason.map { ": \($0)" } ?? "") }
    text += ": " + lines.prefix(Self.limit).joined(separator: "; ")
    return lines.count > Self.limit ? text + "; and \(lines.count - Self.limit) more" : text
  }

  private static func verb(_ run: RunRecord) -> String {
    switch run.state {
    case .queued: "has not begun"
    case .running: "is running"
    case .interrupted: "was interrupted"
    case .cancelled: "was \(run.canceller?.words ?? run.state.rawValue)"
    case .failed, .succeeded: run.state.rawValue
    }
  }

  private func line(of record: OperationRecord, in nested: Nested, depth: Int) -> String? {
    let text = StateReason.text(of: record, now: now)
    switch record.state {
    case .waiting:
      return "\(record.title) waits \(text)"
        + (record.waitingSince.map { ", since \(ClockText.moment($0, seenFrom: now))" } ?? "")
    case .running:
      if depth < Self.maximumDepth, let inner = nestedRuns(nested.recorded.run.id, record.name),
        !inner.recorded.run.state.isFinal
      {
        return "\(record.title) runs, \(summary(of: inner, depth: depth + 1))"
      }
      return "\(record.title) has been running for \(nested.recorded.lengthOfAttempt(of: record, now: now))"
    case .pending:
      let waited = StateReason.specification(of: record)
      return waited.isEmpty ? nil : "\(record.title) had waited \(waited)"
    default: return "\(record.title) \(record.state == .failed ? "failed: " : "")\(text)"
    }
  }
}

extension History {
  /// Returns the latest run that an operation of `parent` has started, for an explanation of that operation.
  package func nested(in parent: RunID, operation: String) -> RunExplanation.Nested? {
    guard let run = try? nestedRun(of: parent, operation: operation), let recorded = try? loadForResume(run.id) else {
      return nil
    }
    return RunExplanation.Nested(recorded: recorded, shortID: (try? shortForm(of: run.id)) ?? run.id.short)
  }
}
