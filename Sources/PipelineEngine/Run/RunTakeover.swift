import PipelineLanguage
import RunHistory
import Values

/// Reuses what an earlier run has done. This is decided when the run is created, and becomes durable with it.
struct RunTakeover {
  let run: Run

  /// Reuses from `source` what is not to be executed: everything outside the selection and, in a retry, what succeeded there and is still valid.
  /// Returns the operations that this ends, and records those that are partially reused.
  ///
  /// Without a source nothing is reused, and only the selection counts.
  func takeOver(from source: RecordedRun?, by plan: RetryPlan?) -> [Int] {
    guard !run.options.isForced else { return [] }
    let selected = run.options.selection.positions(in: run.state.pipeline) ?? []
    let recorded = source?.operations.filter { $0.parent == nil } ?? []
    let known = Dictionary(recorded.map { ($0.name, $0) }) { first, _ in first }
    var ended: [Int] = []
    for position in run.state.pipeline.operations.indices where !selected.contains(position) {
      let definition = run.state.instances[position].node.definition
      if plan?.conditional[position] != nil {
        run.recorder.run.origin.partial.append(definition.name)
        continue
      }
      if let source, let operation = known[definition.name], operation.isDone, plan?.runs(position) != true,
        run.hasArtifacts(of: operation)
      {
        takeOver(operation, of: source.run.id, for: position)
      } else if run.options.leavesOut {
        run.recorder.mark(position, .skipped(.notSelected))
      } else {
        if source != nil, definition.hasParts, plan?.takesOverParts(of: position) != false {
          run.recorder.run.origin.partial.append(definition.name)
        }
        continue
      }
      run.state.countEnded(position)
      ended.append(position)
    }
    return ended
  }

  private func takeOver(_ operation: OperationRecord, of source: RunID, for ordinal: Int) {
    run.recorder.mark(
      ordinal,
      .reused(run.settled(operation, for: ordinal), from: operation.reusedFrom ?? source, .takenOver(from: source)))
  }

  /// Notes what succeeded in `source` and is reused if its dependencies end as they did there.
  func noteConditional(_ source: RecordedRun, _ plan: RetryPlan) {
    guard !plan.conditional.isEmpty else { return }
    let recorded = source.operations.filter { $0.parent == nil }.map { ($0.name, $0) }
    let known = Dictionary(recorded) { first, _ in first }
    for (position, dependencies) in plan.conditional where !run.state.instances[position].state.isFinal {
      guard let record = known[run.state.instances[position].name] else { continue }
      run.recordedItems.conditional[position] = ConditionalSuccess(
        record: record, dependencies: dependencies.map { ($0, known[run.state.instances[$0].name]?.state) })
    }
  }

  /// Notes why operations of a retry are executed, as far as that is known before they begin.
  func noteCauses(_ source: RecordedRun, _ plan: RetryPlan?) {
    guard [.retry, .nested].contains(run.options.trigger), !run.options.isForced else { return }
    let recorded = source.operations.filter { $0.parent == nil }.map { ($0.name, $0) }
    let known = Dictionary(recorded) { first, _ in first }
    let chosen = run.options.selection.positions(in: run.state.pipeline) ?? []
    for position in run.state.pipeline.operations.indices
    where !run.state.instances[position].state.isFinal && run.recordedItems.conditional[position] == nil {
      let (name, definition) = (run.state.instances[position].name, run.state.instances[position].node.definition)
      if chosen.contains(position) {
        run.state.again[position] = "it was selected"
      } else if let former = known[name] {
        run.state.again[position] = Self.cause(of: former, at: position, hasParts: definition.hasParts, plan)
      }
    }
  }

  private static func cause(
    of former: OperationRecord, at position: Int, hasParts: Bool, _ plan: RetryPlan?
  ) -> String {
    let cause = plan?.cause(at: position)?.text()
    let text: String
    switch former.state {
    case .succeeded, .reused: return cause ?? OperationRecord.artifactsGone
    case .failed: text = "it had failed"
    case .skipped: text = "it had been skipped"
    case .cancelled: text = former.attempts > 0 ? "it had been cancelled" : "it had not run"
    case .pending, .waiting, .running, .retrying: text = "it had not ended"
    }
    // Part of its work would have been reused but for this cause.
    guard let cause, hasParts, plan?.takesOverParts(of: position) == false else { return text }
    return "\(text), and \(cause)"
  }

  /// Reuses an operation that succeeded in the retried run if all its dependencies have ended as they did there. Returns true if that ends it.
  func takeOverAsBefore(_ ordinal: Int) -> Bool {
    guard let former = run.recordedItems.conditional[ordinal], let source = run.options.source else { return false }
    if let other = former.dependencies.first(where: { !endedAsBefore($0.ordinal, $0.state) })?.ordinal {
      let (name, dependency) = (run.state.instances[ordinal].name, run.state.instances[other].name)
      let cause = "'\(dependency)' did not end as it did in the retried run"
      run.observer.emit(.notice(run.state.id, "'\(name)' runs again: \(cause)"))
      run.state.again[ordinal] = cause
      return false
    }
    guard run.hasArtifacts(of: former.record) else {
      run.state.again[ordinal] = OperationRecord.artifactsGone
      return false
    }
    takeOver(former.record, of: source, for: ordinal)
    run.recorder.append(ordinal)
    return true
  }

  /// Whether a dependency ended as it did in the retried run. One that succeeded there and was executed again did not, whatever its result.
  private func endedAsBefore(_ ordinal: Int, _ before: RunHistory.OperationState?) -> Bool {
    let now = run.state.instances[ordinal].state
    return now == .reused || now == before && now != .succeeded
  }

  /// Notes which items of loops the run reuses: those that succeeded in `source`, if the loop has the same items again.
  ///
  /// If `source` itself was to reuse items but ended before it reached them, those of the run that it was to reuse them from are used.
  nonisolated(nonsending) func inheritParts(of source: RecordedRun) async throws {
    var names = run.recorder.run.origin.partial.filter { name in
      run.state.position(of: name).map {
        run.state.instances[$0].node.definition.loop != nil && run.recordedItems.conditional[$0] == nil
      } ?? false
    }
    var source = source
    while !names.isEmpty {
      for name in names {
        inheritItems(of: name, in: source)
        // The items of a loop that was reused as a whole are in the run in which it succeeded.
        guard let origin = source.operations.first(where: { $0.parent == nil && $0.name == name })?.reusedFrom else {
          continue
        }
        let history = run.services.history
        let former = try await BlockingWork.run {
          try history.loadForExecution(origin).map { ($0, ParsedResults(of: $0.operations)) }
        }
        if let (run, results) = former {
          self.run.recordedItems.results.add(results)
          inheritItems(of: name, in: run)
        }
      }
      let further = Set(source.run.origin.partial)
      names = names.filter(further.contains)
      guard !names.isEmpty, let next = try await run.recordedSource(of: source.run) else { return }
      run.recordedItems.results.add(await BlockingWork.run { ParsedResults(of: next.operations) })
      source = next
    }
  }

  private func inheritItems(of name: String, in source: RecordedRun) {
    guard let position = run.state.position(of: name),
      let loop = source.operations.first(where: { $0.parent == nil && $0.name == name })
    else { return }
    for item in source.operations where item.parent == loop.ordinal {
      guard let index = item.itemIndex else { continue }
      run.recordedItems.inherit(item, for: ItemKey(parent: position, index: index))
    }
  }

  /// Reuses an item from an earlier run if it succeeded there with the same value.
  func takeOverItem(_ ordinal: Int, _ key: ItemKey) {
    guard let former = run.recordedItems.inherited[key], former.isDone, run.hasArtifacts(of: former),
      former.item == run.recorder.recordedItem(ordinal)
    else {
      return
    }
    takeOver(former, of: former.run, for: ordinal)
    run.recorder.append(ordinal)
  }
}

extension OperationDefinition {
  /// Whether the operation works in parts, some of which may have succeeded although the operation did not.
  fileprivate var hasParts: Bool { loop != nil || action.kind.nestedPath != nil }
}
