import PipelineLanguage
import RunHistory
import Values

/// Taking over what an earlier run has done: decided when the run is created, and durable with it.
extension RunEngine {
  /// Takes over from `source` what is not to be executed: everything outside the selection, and on a retry what succeeded there and is still true. Returns what
  /// has ended by that, and notes in the record what takes over parts.
  ///
  /// Without a source there is nothing to take over, and only the selection counts.
  func takeOver(from source: RecordedRun?, by plan: RetryPlan?) -> [Int] {
    guard !options.isForced else { return [] }
    let selected = options.selection.positions(in: state.pipeline) ?? []
    let recorded = source?.operations.filter { $0.parent == nil } ?? []
    let known = Dictionary(recorded.map { ($0.name, $0) }) { first, _ in first }
    var ended: [Int] = []
    for position in state.pipeline.operations.indices where !selected.contains(position) {
      let definition = state.instances[position].node.definition
      if plan?.conditional[position] != nil {
        recorder.run.origin.partial.append(definition.name)
        continue
      }
      if let source, let operation = known[definition.name], operation.isDone, plan?.runs(position) != true {
        takeOver(operation, of: source.run.id, for: position)
      } else if options.leavesOut {
        recorder.mark(position, .skipped, .notSelected)
      } else {
        if source != nil, definition.hasParts, plan?.takesOverParts(of: position) != false {
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

  /// Remembers what succeeded in `source`, and is taken over once its dependencies have ended as they did there.
  func noteConditional(_ source: RecordedRun, _ plan: RetryPlan) {
    guard !plan.conditional.isEmpty else { return }
    let recorded = source.operations.filter { $0.parent == nil }.map { ($0.name, $0) }
    let known = Dictionary(recorded) { first, _ in first }
    for (position, dependencies) in plan.conditional where !state.instances[position].state.isFinal {
      guard let record = known[state.instances[position].name] else { continue }
      recordedItems.conditional[position] = ConditionalSuccess(
        record: record, dependencies: dependencies.map { ($0, known[state.instances[$0].name]?.state) })
    }
  }

  /// Takes over what succeeded in the run that this one retries, where all that it depends on has ended as it did there. True when that is its end.
  func takeOverAsBefore(_ ordinal: Int) -> Bool {
    guard let former = recordedItems.conditional[ordinal], let source = options.source else { return false }
    if let other = former.dependencies.first(where: { !endedAsBefore($0.ordinal, $0.state) })?.ordinal {
      let (name, dependency) = (state.instances[ordinal].name, state.instances[other].name)
      observer.emit(.notice(state.id, "'\(name)' runs again: '\(dependency)' has not ended as it did then"))
      return false
    }
    takeOver(former.record, of: source, for: ordinal)
    recorder.append(ordinal)
    return true
  }

  /// Whether a dependency is what it was in the run that this one retries: what succeeded there and was executed again is not, whatever it came to.
  private func endedAsBefore(_ ordinal: Int, _ before: RunHistory.OperationState?) -> Bool {
    let now = state.instances[ordinal].state
    return now == .reused || now == before && now != .succeeded
  }

  /// Remembers what the run takes over of loops: the items that succeeded in `source`, for when the loop finds the same ones again.
  ///
  /// A run that was itself to take over items, and ended before it came to them, hands on those of its own source.
  func inheritParts(of source: RecordedRun) async throws {
    var names = recorder.run.origin.partial.filter { name in
      state.position(of: name).map {
        state.instances[$0].node.definition.loop != nil && recordedItems.conditional[$0] == nil
      } ?? false
    }
    var source = source
    while !names.isEmpty {
      for name in names {
        inheritItems(of: name, in: source)
        // The items of a loop that was taken over as a whole are in the run in which it succeeded.
        guard let origin = source.operations.first(where: { $0.parent == nil && $0.name == name })?.reusedFrom else {
          continue
        }
        let history = services.history
        if let former = try await BlockingWork.run({ try history.loadForExecution(origin) }) {
          inheritItems(of: name, in: former)
        }
      }
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
    guard state.instances[ordinal].parent == nil, recorder.run.origin.partial.contains(name),
      recordedItems.conditional[ordinal] == nil
    else { return nil }
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
