import PipelineLanguage
import RunHistory
import Values

/// Taking over what an earlier run has done: decided when the run is created, and durable with it.
extension RunEngine {
  /// Takes over from `source` what is not to be executed: everything outside the selection, and on a retry what succeeded there. Returns what has
  /// ended by that, and notes in the record what takes over parts.
  ///
  /// Without a source there is nothing to take over, and only the selection counts.
  func takeOver(from source: RecordedRun?) -> [Int] {
    let selected = options.selection.positions(in: state.pipeline) ?? []
    let recorded = source?.operations.filter { $0.parent == nil } ?? []
    let known = Dictionary(recorded.map { ($0.name, $0) }) { first, _ in first }
    let outdated = outdated(known)
    var ended: [Int] = []
    for position in state.pipeline.operations.indices where !selected.contains(position) {
      let definition = state.instances[position].node.definition
      if let source, let operation = known[definition.name], operation.isDone, !outdated.contains(position) {
        takeOver(operation, of: source.run.id, for: position)
      } else if options.leavesOut {
        recorder.mark(position, .skipped, .notSelected)
      } else {
        if source != nil, definition.hasParts, !(definition.loop != nil && outdated.contains(position)) {
          recorder.run.origin.partial.append(definition.name)
        }
        continue
      }
      count(position)
      ended.append(position)
    }
    return ended
  }

  private func takeOver(_ operation: OperationRecord, of source: RunID, for ordinal: Int) {
    state.modify(ordinal) { instance in
      instance.reuse.source = operation.reusedFrom ?? source
      instance.recordedResult = operation.result
      instance.result = result(operation.result, type: instance.node.definition.result)
    }
    recorder.mark(ordinal, .reused, .takenOver(from: source))
  }

  /// Operations that ran because of what became of others, where a retry executes those again: a clean-up comes after the
  /// second attempt at what it cleans up, too.
  private func outdated(_ known: [String: OperationRecord]) -> Set<Int> {
    guard !options.leavesOut else { return [] }
    var found: Set<Int> = []
    for position in state.pipeline.operations.indices {
      guard let record = known[state.instances[position].name], record.state == .failed || record.state == .cancelled
      else { continue }
      found.formUnion(state.plan.downstream(of: position).subtracting([position]))
    }
    return found.filter { state.instances[$0].node.isAskedAnyway }
  }

  /// Remembers what the run takes over of loops: the items that succeeded in `source`, for when the loop finds the same ones again.
  ///
  /// A run that was itself to take over items, and ended before it came to them, hands on those of its own source.
  func inheritParts(of source: RecordedRun) async throws {
    var names = recorder.run.origin.partial.filter { name in
      state.position(of: name).map { state.instances[$0].node.definition.loop != nil } ?? false
    }
    var source = source
    while !names.isEmpty {
      for name in names { inheritItems(of: name, in: source) }
      let further = Set(source.run.origin.partial)
      names = names.filter(further.contains)
      guard !names.isEmpty, let next = try await recordedSource(of: source.run) else { return }
      source = next
    }
  }

  private func inheritItems(of name: String, in source: RecordedRun) {
    guard let position = state.position(of: name),
      let loop = source.operations.first(where: { $0.parent == nil && $0.name == name })
    else { return }
    for item in source.operations where item.parent == loop.ordinal {
      guard let index = item.itemIndex else { continue }
      recordedItems.inherit(item, for: ItemKey(parent: position, index: index))
    }
  }

  /// What is recorded of the run that another takes over from; nil where there is none.
  ///
  /// - Throws: ``SourceMissing`` when it is not in the workspace any more.
  func recordedSource(of run: RunRecord) async throws -> RecordedRun? {
    let history = services.history
    return try await BlockingWork.run(if: run.origin.source != nil) { try history.recordedSource(of: run) }
  }

  /// Takes an item over from an earlier run, where it succeeded with the same value.
  func takeOverItem(_ ordinal: Int, _ key: ItemKey, value: JSONValue) {
    guard let former = recordedItems.inherited[key], former.isDone, former.item == state.given.masker.mask(value.text)
    else {
      return
    }
    takeOver(former, of: former.run, for: ordinal)
    recorder.append(ordinal)
  }

  /// The nested run of an operation that this run retries, if its definition is the same, and it ended without success or before its host could record that.
  func nestedRunToRetry(_ ordinal: Int, definition: PipelineDefinition) async throws -> RecordedRun? {
    let name = state.instances[ordinal].name
    guard state.instances[ordinal].parent == nil, recorder.run.origin.partial.contains(name) else { return nil }
    let (history, run, hash) = (services.history, recorder.run, definition.source.hash)
    return try await BlockingWork.run { try history.nestedRunToRetry(of: run, operation: name, definitionHash: hash) }
  }
}

extension History {
  /// The nested run that an operation of `run` ran, or that it hands on from its own source, if it has that definition and is to be run again.
  fileprivate func nestedRunToRetry(
    of run: RunRecord, operation name: String, definitionHash: String
  ) throws -> RecordedRun? {
    var run = run
    while run.origin.partial.contains(name), let source = run.origin.source {
      if let nested = try nestedRun(of: source, operation: name) {
        guard nested.definitionHash == definitionHash, try nested.state != .succeeded || wasCutOff(nested)
        else { return nil }
        return try loadForExecution(nested.id)
      }
      // A run that ended before it came to the operation hands on that of its own source.
      guard let next = try self.run(source) else { throw SourceMissing(run: run.id, source: source) }
      run = next
    }
    return nil
  }

  /// Whether the host of an attempt ended after the nested run of the attempt, and before the attempt.
  private func wasCutOff(_ nested: RunRecord) throws -> Bool {
    guard let parent = nested.parent, let number = parent.attempt,
      let operation = try operations(of: parent.run).first(where: { $0.name == parent.operation })
    else { return false }
    let attempts = try attempts(of: parent.run, ordinal: operation.ordinal)
    guard let attempt = attempts.first(where: { $0.number == number }) else { return true }
    return attempt.error?.code == RecordedError.hostDied.code
  }
}

extension OperationDefinition {
  /// Whether it does its work in parts of which some may have succeeded though it did not.
  fileprivate var hasParts: Bool {
    loop != nil || action.kind.nestedPath != nil
  }
}
