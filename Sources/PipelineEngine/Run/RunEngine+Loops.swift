import Expressions
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

/// `for_each` and `matrix`: one instance for each item, with its own attempts, and one ordered list of results.
extension RunEngine {
  /// Runs the action once for each item and ends the operation with the list of their results.
  func executeLoop(_ ordinal: Int) async throws {
    let node = run.state.instances[ordinal].node
    guard let loop = node.definition.loop else { return }
    try await run.readFiles(ordinal, for: .items)
    let source = LoopItems(run: run, ordinal: ordinal)
    let items = try source.items(of: loop)
    let labels = try loop.label.map { try source.labels($0, of: items) }
    run.dropReadings(ordinal)
    let recorded = await run.recordedTexts(ofLarge: items)
    // Recorded now, so that no item's record becomes durable before that of its loop.
    run.recorder.enter(ordinal, .running(.items(Int64(items.count))), recordNow: true)
    var ordinals: [Int] = []
    ordinals.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      ordinals.append(
        itemOrdinal(of: ordinal, index: index, value: item, label: labels?[index], recorded: recorded[index]))
    }
    defer { run.ending.loops.end(ordinal) }
    if loop.failureLimit != nil {
      run.ending.loops.begin(ordinal, failures: ordinals.count { run.state.instances[$0].state == .failed })
    }
    await withDiscardingTaskGroup { group in
      let limit = RunLimits(slots: loop.concurrency ?? Int.max, resources: [])
      let one = RunLimits.Demand(slots: 1, resources: [])
      for item in ordinals where !run.state.instances[item].state.isFinal {
        if !mayRun(item, of: ordinal) { continue }
        if !limit.take(one) { _ = await limit.wait(for: one, on: run.services.loop) }
        // The failure that exceeds the limit may have occurred while it waited.
        guard mayRun(item, of: ordinal) else {
          limit.release(one)
          continue
        }
        let bound = LoopBound(limit)
        guard loop.failureLimit != nil else {
          group.addImmediateTask {
            await self.executeItem(item)
            self.give(back: bound)
          }
          continue
        }
        let task = endableTask(item, of: ordinal)
        group.addTask {
          await withTaskCancellationHandler {
            await task.value
          } onCancel: {
            task.cancel()
          }
          await self.give(back: bound)
        }
      }
    }
    if loop.failureLimit != nil {
      for item in ordinals where !run.state.instances[item].state.isFinal { fail(item, CancellationError()) }
    }
    try await concludeLoop(ordinal, ordinals)
  }

  /// Whether an item may run. Once too many others have failed, only an item that has begun may, unless `fail_fast` is set.
  private func mayRun(_ item: Int, of loop: Int) -> Bool {
    guard run.hasEndedEarly(loop) else { return true }
    return run.state.instances[item].attempts > 0 && run.state.instances[loop].node.definition.loop?.failFast == false
  }

  /// Runs an item in its own task, so that the failure of other items can end it.
  private func endableTask(_ item: Int, of loop: Int) -> Task<Void, Never> {
    let task = Task(executorPreference: run.services.loop) { await self.executeEndable(item, of: loop) }
    run.ending.loops.add(task, of: item)
    return task
  }

  // The failure counts before anything else in the loop happens.
  private func executeEndable(_ item: Int, of loop: Int) async {
    await executeItem(item)
    hasEnded(item, of: loop)
  }

  /// Handles the end of an item. If its failure reaches the limit, items that have not begun never do, and with `fail_fast` the others are cancelled.
  private func hasEnded(_ item: Int, of loop: Int) {
    run.ending.loops.removeTask(of: item)
    guard run.state.instances[item].state == .failed else { return }
    run.ending.loops.noteFailure(of: loop)
    guard run.hasEndedEarly(loop) else { return }
    for (other, task) in run.ending.loops.tasks
    where run.state.instances[other].parent == loop && !mayRun(other, of: loop) {
      task.cancel()
    }
  }

  private func give(back limit: LoopBound<RunLimits>) {
    limit.value.release(RunLimits.Demand(slots: 1, resources: []))
  }

  private func executeItem(_ ordinal: Int) async {
    let node = run.state.instances[ordinal].node
    await run.awaitAnswer(ordinal)
    do {
      if run.isCalledOff(ordinal) || (Task.isCancelled && run.earlyEnd(of: ordinal) != nil) {
        throw CancellationError()
      }
      if let condition = node.definition.condition, node.conditionIsPerItem,
        try await !run.isSatisfied(condition, for: ordinal)
      {
        if run.cancellation != nil, node.event == nil { throw CancellationError() }
        return run.recorder.conclude(ordinal, .skipped(.condition(condition.text)))
      }
      try await executeInstance(ordinal)
    } catch {
      fail(ordinal, error)
    }
  }

  private func concludeLoop(_ ordinal: Int, _ items: [Int]) async throws {
    if let failure = failure(of: items) {
      guard run.state.instances[ordinal].node.definition.allowFailure else { throw failure }
      return run.recorder.conclude(ordinal, .failed(failure, partial: try await settled(items, of: ordinal)))
    }
    if items.contains(where: { run.state.instances[$0].state == .cancelled }) { throw CancellationError() }
    var settled = try await settled(items, of: ordinal)
    settled.artifacts = run.artifacts(of: items, in: ordinal)
    run.recorder.conclude(ordinal, .succeeded(settled, .items(Int64(items.count))))
  }

  /// Returns the failure of a loop, or nil if none of its items failed.
  private func failure(of items: [Int]) -> OperationFailure? {
    let failed = items.filter { run.state.instances[$0].state == .failed }
    guard let first = failed.first else { return nil }
    let cause = run.state.instances[first].failure
    return OperationFailure(
      code: "items-failed",
      message:
        "\(failed.count) of \(items.count) items failed\(endedEarly(items)); first '\(run.state.instances[first].title)': \(cause?.message ?? "")",
      exitCode: cause?.exitCode, signal: cause?.signal)
  }

  /// Describes the items that ended early, as a clause that follows the number of failed ones.
  private func endedEarly(_ items: [Int]) -> String {
    var (cancelled, notRun) = (0, 0)
    for item in items {
      guard case .itemsFailed? = run.state.instances[item].reason else { continue }
      if run.state.instances[item].attempts > 0 { cancelled += 1 } else { notRun += 1 }
    }
    switch (cancelled, notRun) {
    case (0, 0): return ""
    case (0, _): return ", \(notRun) did not run"
    case (_, 0): return ", \(cancelled) \(cancelled == 1 ? "was" : "were") cancelled"
    default: return ", \(cancelled) \(cancelled == 1 ? "was" : "were") cancelled, \(notRun) did not run"
    }
  }

  /// Returns the loop's result: the list of its items' results, with null for each item without one. If no item has a result, and none failed or was
  /// skipped, the loop has none either.
  private func settled(_ items: [Int], of ordinal: Int) async throws -> SettledResult {
    guard run.state.instances[ordinal].node.definition.result != ValueType.none else { return SettledResult() }
    var results: [JSONValue] = []
    results.reserveCapacity(items.count)
    var isList = items.isEmpty
    for item in items {
      switch run.state.instances[item].result {
      case .none: results.append(.null)
      case .value(let value): results.append(value)
      case .file(let file): results.append(try await BlockingWork.run { try file.load() })
      }
      let state = run.state.instances[item].state
      if results.last != .null || state == .failed || state == .skipped { isList = true }
    }
    guard isList else { return SettledResult() }
    return SettledResult(result: .value(.array(results)), recorded: try await run.written(.array(results)))
  }

  /// Returns the instance of an item: the one that a former host had begun, or a new one.
  private func itemOrdinal(
    of parent: Int, index: Int, value: JSONValue, label: String?, recorded: String?
  ) -> Int {
    let key = ItemKey(parent: parent, index: index)
    if let known = run.recordedItems.begun[key] {
      run.state.instances[known].loopItem?.value = value
      run.state.instances[known].loopItem?.label = label
      run.state.instances[known].loopItem?.recorded = recorded
      return known
    }
    let ordinal = run.state.addItem(of: parent, index: index, value: value, label: label, recorded: recorded)
    RunTakeover(run: run).takeOverItem(ordinal, key)
    return ordinal
  }
}
