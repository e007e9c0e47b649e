import PipelineLanguage
import RunHistory

/// What is known of a run, and of the runs nested in it, from the events so far. Presenters draw from it.
struct RunBoard {
  /// One run.
  struct Entry {
    var record: RunRecord
    var pipeline: PipelineDefinition?
    /// The latest record of each instance, by ordinal.
    var operations: [Int: OperationRecord] = [:]
    /// The ordinals of instances that are no items, by name.
    var ordinals: [String: Int] = [:]
    /// The ordinals of a loop's items, in the order in which they came up.
    var items: [Int: [Int]] = [:]
    /// The latest attempt of each instance.
    var attempts: [Int: AttemptRecord] = [:]
    /// How far running attempts of plugins say they are.
    var progress: [Int: PluginProgress] = [:]
    /// The latest run that an operation has started, by the operation's name.
    var nested: [String: RunID] = [:]

    /// The definition of an instance; items and handlers have one, too.
    func definition(of record: OperationRecord) -> OperationDefinition? {
      guard let pipeline else { return nil }
      let name = String(record.name.prefix { $0 != "[" })
      if pipeline.operations.indices.contains(record.position), pipeline.operations[record.position].name == name {
        return pipeline.operations[record.position]
      }
      return pipeline.handlers.first { $0.operation.name == name }?.operation
    }

    /// Whether an instance failed, and its run goes on as if it had not.
    func isAllowedFailure(_ record: OperationRecord) -> Bool {
      record.state == .failed && definition(of: record)?.allowFailure == true
    }
  }

  private(set) var root: RunID?
  private(set) var runs: [RunID: Entry] = [:]
  private let pipeline: PipelineDefinition?

  /// A board for a run of `pipeline`, as far as that is known.
  init(pipeline: PipelineDefinition?) {
    self.pipeline = pipeline
  }

  /// The run that everything else belongs to.
  var rootEntry: Entry? { root.flatMap { runs[$0] } }

  mutating func apply(_ event: RunEvent) {
    switch event {
    case .run(let record): apply(record)
    case .operation(var record):
      // Results can be large, and whoever shows them takes them from the outcome.
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
    // Taken out while it is changed, so that its tables are not copied.
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

  /// What goes before the names of a run's operations: empty for the outermost run, `deploy/` for one that `deploy` has started.
  func prefix(of run: RunID) -> String {
    guard run != root, let parent = runs[run]?.record.parent else { return "" }
    return prefix(of: parent.run) + parent.operation + "/"
  }

  /// An operation that failed and has written something.
  struct LoggedFailure {
    let name: String
    /// Whether some of its items failed, rather than it itself.
    let hasFailedItems: Bool
  }

  /// The operations of the outermost run that failed and have written something, in the order of the file.
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

  /// The handlers of the outermost run that failed.
  var failedHandlers: [String] { rootEntry.map { $0.operations.values.failedHandlers(of: $0.record) } ?? [] }

  /// The handlers of the outermost run that a second cancellation gives up, in the order of the file: those that have not ended, and would run in a run that is cancelled.
  var handlersGivenUp: [String] {
    guard let entry = rootEntry, let pipeline = entry.pipeline else { return [] }
    return pipeline.handlers.filter { handler in
      guard handler.event == .cancel || handler.event == .always else { return false }
      let state = entry.ordinals[handler.operation.name].flatMap { entry.operations[$0]?.state }
      return state?.isFinal != true
    }.map(\.operation.name)
  }

  /// What is said of a request to end the run, the first one or another.
  func cancelling(times: Int) -> String {
    guard times > 1 else { return "cancelling the run; once more ends its processes at once" }
    let names = handlersGivenUp.prefix(3).map { "'\(TerminalText.visible($0))'" }
    guard !names.isEmpty else { return "ending its processes" }
    let rest = handlersGivenUp.count - names.count
    return "ending its processes; gives up the handlers \(names.joined(separator: ", "))"
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// A question that waits for an answer.
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

  /// The questions that wait for an answer, in the order in which they were asked.
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
  /// What it asks a person; nil where it does not wait for an answer.
  var question: OperationReason.Question? {
    guard state == .waiting, reason == Self.approvalCode, case .approval(let question)? = operationReason else {
      return nil
    }
    return question
  }

  private static let approvalCode = OperationReason.approval(.init(message: nil)).code
}
