import Operations
import PipelineLanguage
import RunHistory
import Values

/// Scheduling: counting down dependencies, assigning slots, and starting operations that are ready.
extension RunEngine {
  /// Starts operations as they become ready, until all have ended.
  func drive() async {
    let first = run.state.pipeline.operations.indices.filter {
      run.state.remaining[$0] == 0 && run.state.instances[$0].state == .pending
    }
    // In a resumed run, or one that was cancelled before it began, some of them end immediately.
    for ordinal in first where decide(ordinal) { settle(ordinal) }
    var reached = 0
    await withDiscardingTaskGroup { group in
      while run.state.unfinished > 0 {
        if run.ending.stage > reached {
          reached = run.ending.stage
          group.cancelAll()
          cancelPending()
        }
        if !run.services.writing.mayBegin {
          run.services.writing.whenOpen(for: id) { [weak queue = run.queue] in queue?.wake() }
        }
        while run.services.writing.mayBegin, let ordinal = nextReady() {
          switch beginAtOnce(ordinal) {
          case .ended: break
          case .running(let begun): group.addImmediateTask { await self.finish(ordinal, after: begun) }
          case .needsTask where run.state.instances[ordinal].node.isAskedWhenCancelled: beginLasting(ordinal)
          case .needsTask: group.addImmediateTask { await self.execute(ordinal) }
          }
        }
        run.limits.returnGrant()
        guard run.state.unfinished > 0 else { break }
        // An operation that has just begun may have cancelled the run by failing in a way that the others would too.
        guard run.ending.stage <= reached else { continue }
        await withCheckedContinuation { run.queue.sleep($0) }
      }
    }
  }

  /// Returns the next operation to start, with its slot already taken if it needs one.
  private func nextReady() -> Int? {
    if let ordinal = run.queue.takeOther() {
      run.state.instances[ordinal].turn.hasBegun = true
      return ordinal
    }
    guard let ordinal = run.queue.firstForSlot else { return nil }
    let node = run.state.instances[ordinal].node
    if run.limits.take(RunLimits.Demand(slots: 1, resources: [], countsAtHost: run.countsAtHost(node))) {
      run.state.instances[ordinal].turn.hasSlot = true
      run.queue.removeFirstForSlot()
    } else if node.canPrepareEarly, run.queue.takeEarly() {
      // Prepared while all slots are taken, so that its process starts the moment one is free.
      run.state.instances[ordinal].turn.isEarly = true
    } else {
      return nil
    }
    run.state.instances[ordinal].turn.hasBegun = true
    return ordinal
  }

  /// Settles the dependents of an operation that has ended: they may be ready now, or end immediately themselves.
  ///
  /// Works through a list rather than by recursion, because a chain of skipped operations may be as long as the pipeline.
  func settle(_ ordinal: Int) {
    run.state.unfinished -= 1
    var ended = [ordinal]
    while let next = ended.popLast() {
      for dependent in run.state.plan.dependents(of: next) {
        let dependent = Int(dependent)
        run.state.remaining[dependent] -= 1
        guard run.state.remaining[dependent] == 0, run.state.instances[dependent].state == .pending else { continue }
        if decide(dependent) {
          run.state.unfinished -= 1
          ended.append(dependent)
        }
      }
    }
    run.wake()
  }

  /// Queues an operation whose dependencies have all ended, or ends it. Returns true if it has ended.
  private func decide(_ ordinal: Int) -> Bool {
    if run.cancellation != nil, !run.mayBeAsked(ordinal) {
      concludeCalledOff(ordinal)
      return true
    }
    let decision = run.state.decision(for: ordinal)
    if decision.runs {
      if let missing = run.missingArtifact(of: ordinal) {
        let reason = OperationReason.dependencies(.withoutResult, [run.state.instances[missing.producer].name])
        let code = InjectionDecisionKind.requirementNotSatisfied.cancellationCode ?? ""
        run.recorder.conclude(ordinal, .cancelled(reason, OperationFailure(code: code, ownWords: missing.message)))
        return true
      }
      let node = run.state.instances[ordinal].node
      run.queue.add(ordinal, needsSlot: node.needsSlot && node.isPlain && !run.isElsewhere(node))
      return false
    }
    end(ordinal, because: decision)
    return true
  }

  /// Ends an operation that its dependencies do not allow to run.
  private func end(_ ordinal: Int, because decision: InjectionDecisionKind) {
    let culprits = run.state.culprits(of: ordinal, for: decision)
    let names = culprits.map { run.state.instances[$0].name }
    let reason = OperationReason.dependencies(OperationReason.Dependency(decision), names)
    guard let code = decision.cancellationCode else { return run.recorder.conclude(ordinal, .skipped(reason)) }
    let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
    var failure = OperationFailure(code: code, ownWords: "")
    switch decision {
    case .requirementNotSatisfied:
      let required = names.count == 1 ? "its result is" : "their results are"
      failure.message =
        "\(quoted) ended without a result, but \(required) required; give a default (`results.x || …`) if it may be missing"
    case .dependencyCancelled:
      failure.message = "\(quoted) \(names.count == 1 ? "was" : "were") cancelled"
    case .dependencyFailed, .run, .runWithoutResult, .skip:
      let cause = culprits.lazy.compactMap { self.run.state.instances[$0].failure }.first
      failure.message = "\(quoted) failed: \(cause?.message ?? "")"
      failure.isOwnWords = cause?.isOwnWords ?? true
      failure.exitCode = cause?.exitCode
      failure.signal = cause?.signal
    }
    run.recorder.conclude(ordinal, .cancelled(reason, failure))
  }
}

extension OperationReason.Dependency {
  /// The reason why an operation does not run, given the decision about its dependencies.
  init(_ decision: InjectionDecisionKind) {
    switch decision {
    case .run, .runWithoutResult, .skip: self = .skipped
    case .requirementNotSatisfied: self = .withoutResult
    case .dependencyCancelled: self = .cancelled
    case .dependencyFailed: self = .failed
    }
  }
}
