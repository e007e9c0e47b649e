import PipelineLanguage
import RunHistory

/// The state of a run and the runs nested in it, according to the events so far. Presenters draw from it.
struct RunBoard {
  /// A run.
  struct Entry {
    var record: RunRecord
    var pipeline: PipelineDefinition?
    /// The latest record of each instance, by ordinal.
    var operations: [Int: OperationRecord] = [:]
    /// The ordinals of instances that are not items, by name.
    var ordinals: [String: Int] = [:]
    /// The ordinals of each loop's items, in order of appearance.
    var items: [Int: [Int]] = [:]
    /// The latest attempt of each instance.
    var attempts: [Int: AttemptRecord] = [:]
    /// The progress reported by running attempts of plugins.
    var progress: [Int: PluginProgress] = [:]
    /// The latest run that an operation has started, by the operation's name.
    var nested: [String: RunID] = [:]

    /// Returns the definition of an instance, which may also be an item or a handler.
    func definition(of record: OperationRecord) -> OperationDefinition? {
      guard let pipeline else { return nil }
      let name = String(record.name.prefix { $0 != "[" })
      if pipeline.operations.indices.contains(record.position), pipeline.operations[record.position].name == name {
        return pipeline.operations[record.position]
      }
      return pipeline.handlers.first { $0.operation.name == name }?.operation
    }

    /// Returns whether an instance failed without making its run fail.
    func isAllowedFailure(_ record: OperationRecord) -> Bool {
      record.state == .failed && definition(of: record)?.allowFailure == true
    }
  }

  private(set) var root: RunID?
  private(set) var runs: [RunID: Entry] = [:]
  private let pipeline: PipelineDefinition?

  /// Creates a board for a run of `pipeline`, if that is known.
  init(pipeline: PipelineDefinition?) {
    self.pipeline = pipeline
  }

  /// The root run.
  var rootEntry: Entry? { root.flatMap { runs[$0] } }

  mutating func apply(_ event: RunEvent) {
    switch event {
    case .run(let record): apply(record)
    case .operation(var record):
      // Results can be large, and presenters take them from the outcome.
      record.result = .none
      apply(record)
    case .attempt(var record):
      record.result = .none
      runs[record.run]?.attempts[record.ordinal] = record
      runs[record.run]?.progress[record.ordinal] = nil
    case .progress(let run, let ordinal, let progress): runs[run]?.progress[ordinal] = progress
    case .approval, .notice, .output: break
    }
  }

  private mutating func apply(_ record: RunRecord) {
    if runs[record.id] != nil {
      runs[record.id]?.record = record
      return
    }
    guard let parent = record.parent, runs[parent.run] != nil else {
      if root == nil { root = record.id }
      runs[record.id] = Entry(record: record, pipeline: pipeline)
      return
    }
    runs[record.id] = Entry(record: record, pipeline: nestedPipeline(of: parent))
    runs[parent.run]?.nested[parent.operation] = record.id
  }

  private mutating func apply(_ record: OperationRecord) {
    guard var entry = runs[record.run] else { return }
    // Removed while it is modified, so that its tables are not copied.
    runs[record.run] = nil
    if entry.operations.updateValue(record, forKey: record.ordinal) == nil {
      if let parent = record.parent {
        entry.items[parent, default: []].append(record.ordinal)
      } else {
        entry.ordinals[record.name] = record.ordinal
      }
    }
    runs[record.run] = entry
  }

  private func nestedPipeline(of parent: RunRecord.Parent) -> PipelineDefinition? {
    guard let outer = runs[parent.run]?.pipeline else { return nil }
    let name = String(parent.operation.prefix { $0 != "[" })
    let definition =
      outer.operations.first { $0.name == name } ?? outer.handlers.first { $0.operation.name == name }?.operation
    return definition?.action.kind.nestedPath.flatMap { outer.nested[$0] }
  }

  /// Returns the prefix of the names of a run's operations: empty for the root run, `deploy/` for one that `deploy` has started.
  func prefix(of run: RunID) -> String {
    guard run != root, let parent = runs[run]?.record.parent else { return "" }
    return prefix(of: parent.run) + parent.operation + "/"
  }

  /// A failed operation that has written to a log.
  struct LoggedFailure {
    let name: String
    /// Whether its items failed rather than the operation itself.
    let hasFailedItems: Bool
  }

  /// The failed operations of the root run that have written to a log, in the order of the file.
  var loggedFailures: [LoggedFailure] {
    guard let entry = rootEntry else { return [] }
    let failed = entry.operations.values.filter { record in
      guard record.state == .failed, record.parent == nil else { return false }
      return ([record.ordinal] + (entry.items[record.ordinal] ?? [])).contains { ordinal in
        let attempt = entry.attempts[ordinal]
        return attempt?.standardOutput != nil || attempt?.standardError != nil
      } || entry.nested[record.name] != nil
    }
    return failed.sorted { $0.ordinal < $1.ordinal }.map { record in
      LoggedFailure(
        name: record.name,
        hasFailedItems: entry.items[record.ordinal]?.contains { entry.operations[$0]?.state == .failed } ?? false)
    }
  }

  /// The failed handlers of the root run.
  var failedHandlers: [String] { rootEntry.map { $0.operations.values.failedHandlers(of: $0.record) } ?? [] }

  /// The handlers of the root run that a second cancellation abandons, in the order of the file: those that have not ended and that a cancelled run would
  /// execute.
  var handlersGivenUp: [String] {
    guard let entry = rootEntry, let pipeline = entry.pipeline else { return [] }
    return pipeline.handlers.filter { handler in
      guard handler.event == .cancel || handler.event == .always else { return false }
      let state = entry.ordinals[handler.operation.name].flatMap { entry.operations[$0]?.state }
      return state?.isFinal != true
    }.map(\.operation.name)
  }

  /// Returns the message for the first or a later request to cancel the run.
  func cancelling(times: Int) -> String {
    guard times > 1 else { return "cancelling the run; once more ends its processes at once" }
    let names = handlersGivenUp.prefix(3).map { "'\(TerminalText.visible($0))'" }
    guard !names.isEmpty else { return "ending its processes" }
    let rest = handlersGivenUp.count - names.count
    return "ending its processes; gives up the handlers \(names.joined(separator: ", "))"
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// An unanswered question.
  struct Question: Hashable {
    let run: RunID
    let ordinal: Int
    let operation: String

    init(of record: OperationRecord) {
      run = record.run
      ordinal = record.ordinal
      operation = record.name
    }
  }

  /// The unanswered questions, in the order in which they were asked.
  var questions: [Question] {
    let asking = runs.values.filter { !$0.record.state.isFinal }.flatMap { entry in
      entry.operations.values.filter { $0.question != nil }
    }
    return asking.sorted { left, right in
      let times = [left, right].map { $0.waitingSince?.microseconds ?? 0 }
      return (times[0], left.run.text, left.ordinal) < (times[1], right.run.text, right.ordinal)
    }.map { Question(of: $0) }
  }

  func name(of ordinal: Int, in run: RunID) -> String? {
    runs[run]?.operations[ordinal]?.name
  }
}

extension OperationRecord {
  /// Its question; nil if it is not waiting for an answer.
  var question: OperationReason.Question? {
    guard state == .waiting, reason == Self.approvalCode, case .approval(let question)? = operationReason else {
      return nil
    }
    return question
  }

  private static let approvalCode = OperationReason.approval(.init(message: nil)).code
}
