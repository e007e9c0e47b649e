import Operations
import Values

/// Who is next: counting down dependencies, handing out slots, and starting what is ready.
extension RunEngine {
  /// Starts operations as they become ready, until all have ended.
  func drive() async {
    let first = state.pipeline.operations.indices.filter {
      state.remaining[$0] == 0 && state.instances[$0].state == .pending
    }
    // In a run that is gone on with, or was cancelled before it began, some of them end at once.
    for ordinal in first where decide(ordinal) { settle(ordinal) }
    var hasCancelled = false
    await withDiscardingTaskGroup { group in
      while state.unfinished > 0 {
        if cancellation != nil, !hasCancelled {
          hasCancelled = true
          group.cancelAll()
          cancelPending()
        }
        while let ordinal = nextReady() {
          switch beginAtOnce(ordinal) {
          case .ended: break
          case .running(let run): group.addImmediateTask { await self.finish(ordinal, run) }
          case .needsTask: group.addImmediateTask { await self.execute(ordinal) }
          }
        }
        guard state.unfinished > 0 else { break }
        // What has just begun may have cancelled the run, by a failure that all others would have as well.
        guard cancellation == nil || hasCancelled else { continue }
        await withCheckedContinuation {
          wakeup = $0
          isAsleep = true
        }
      }
    }
  }

  /// How many processes may be ready ahead of their slots. More would only hold descriptors.
  private static let earlyLimit = 2

  /// The next operation to start, with its slot already taken where it needs one.
  private func nextReady() -> Int? {
    if let ordinal = ready.popFirst() {
      state.instances[ordinal].hasBegun = true
      return ordinal
    }
    guard let ordinal = readyForSlot.first else { return nil }
    if limits.take(RunLimits.Demand(slots: 1, resources: [])) {
      state.instances[ordinal].hasSlot = true
    } else if early < Self.earlyLimit, state.instances[ordinal].node.canPrepareEarly {
      // Made ready while the slots are taken, so that its process starts the moment one is free.
      state.instances[ordinal].isEarly = true
      early += 1
    } else {
      return nil
    }
    readyForSlot.removeFirst()
    state.instances[ordinal].hasBegun = true
    return ordinal
  }

  /// Gives back what an operation has taken. Whoever waits for more than a slot is told by the limits themselves.
  func release(_ demand: RunLimits.Demand) {
    if limits.release(demand) { giveSlots() }
  }

  /// Slots may be free.
  func giveSlots() {
    if !readyForSlot.isEmpty { wake() }
  }

  /// Lets `drive` look again.
  func wake() {
    guard isAsleep else { return }
    isAsleep = false
    wakeup.take()?.resume()
  }

  /// An operation has ended: its dependents may be next, or end at once themselves.
  ///
  /// Works through a list rather than by recursion, because a chain of skipped operations may be as long as the pipeline.
  func settle(_ ordinal: Int) {
    state.unfinished -= 1
    var ended = [ordinal]
    while let next = ended.popLast() {
      for dependent in state.plan.dependents(of: next) {
        let dependent = Int(dependent)
        state.remaining[dependent] -= 1
        guard state.remaining[dependent] == 0, state.instances[dependent].state == .pending else { continue }
        if decide(dependent) {
          state.unfinished -= 1
          ended.append(dependent)
        }
      }
    }
    wake()
  }

  /// Puts an operation whose dependencies have all ended where it belongs. True when that is its end.
  private func decide(_ ordinal: Int) -> Bool {
    if cancellation != nil {
      conclude(ordinal, .cancelled, reason: "run-cancelled")
      return true
    }
    switch state.decision(for: ordinal) {
    case .run, .runWithoutResult:
      let node = state.instances[ordinal].node
      if node.needsSlot, node.isPlain { readyForSlot.append(ordinal) } else { ready.append(ordinal) }
      return false
    case .skip:
      conclude(ordinal, .skipped, reason: "dependency-skipped", detail: culprits(of: ordinal) { $0 == .skipped })
      return true
    case .requirementNotSatisfied:
      let detail = culprits(of: ordinal) { $0 == .succeededWithoutResult }
      conclude(
        ordinal, .cancelled, reason: "requirement-not-satisfied", detail: detail,
        failure: OperationFailure(
          code: "requirement-not-satisfied",
          message:
            "\(detail.names) ended without a result, and one is required; give a default (`results.x || …`) if it may be missing"
        ))
      return true
    case .dependencyFailed:
      let detail = culprits(of: ordinal) { $0 == .failed }
      let cause = state.instances[ordinal].node.definition.dependencies.lazy.compactMap { dependency in
        self.state.instances[dependency].state == .failed ? self.state.instances[dependency].failure : nil
      }.first
      conclude(
        ordinal, .cancelled, reason: "dependency-failed", detail: detail,
        failure: OperationFailure(
          code: "dependency-failed", message: "\(detail.names) failed: \(cause?.message ?? "")",
          exitCode: cause?.exitCode,
          signal: cause?.signal))
      return true
    case .dependencyCancelled:
      let detail = culprits(of: ordinal) { $0 == .cancelled }
      conclude(
        ordinal, .cancelled, reason: "dependency-cancelled", detail: detail,
        failure: OperationFailure(code: "dependency-cancelled", message: "\(detail.names) was cancelled"))
      return true
    }
  }

  /// The dependencies that decided, for `explain`.
  private func culprits(of ordinal: Int, where isCulprit: (DependencyOutcomeKind) -> Bool) -> JSONValue {
    let names = state.instances[ordinal].node.definition.dependencies
      .filter { isCulprit(state.instances[$0].outcome) }
      .map { JSONValue.string(state.instances[$0].name) }
    return .object(["dependencies": .array(names)])
  }

  /// The run is being cancelled: what has not started never will.
  private func cancelPending() {
    ready.removeAll()
    readyForSlot.removeAll()
    for ordinal in state.pipeline.operations.indices where state.instances[ordinal].state == .pending {
      guard !state.instances[ordinal].hasBegun else { continue }
      state.unfinished -= 1
      conclude(ordinal, .cancelled, reason: cancellation == .timeout ? "run-timeout" : "run-cancelled")
    }
    wake()
  }
}

extension JSONValue {
  /// The names in a list of dependencies, for a message.
  fileprivate var names: String {
    guard let names = self["dependencies"]?.arrayValue?.compactMap(\.stringValue), !names.isEmpty else {
      return "a dependency"
    }
    return names.map { "'\($0)'" }.joined(separator: ", ")
  }
}
