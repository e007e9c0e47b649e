import PipelineLanguage
import RunHistory

/// What a cancellation leaves alone: operations whose `when` calls `always()`, `failure()` or `cancelled()`, as in GitHub Actions.
///
/// Where a person cancels the run, such an operation continues, or begins once its dependencies have ended, if its `when` is true of a cancelled run.
/// Where the time of the run is up, none continues, or nothing would bound the run, but those that have not begun are asked. A second
/// cancellation (``kill()``) ends them too, and so does a history that cannot be written.
extension RunEngine {
  /// Why an operation that ends with the run does.
  var cancellationReason: OperationReason { cancellation == .timeout ? .runTimeout : .runCancelled }

  /// Whether the cancellation of the run is one of this operation, or item, as well. Handlers run all the same.
  func isCalledOff(_ ordinal: Int) -> Bool {
    guard cancellation != nil, state.instances[ordinal].node.event == nil else { return false }
    return !ending.spared.contains(state.instances[ordinal].parent ?? ordinal)
  }

  /// Whether an operation that has not begun is asked its `when` although the run is cancelled.
  func mayBeAsked(_ ordinal: Int) -> Bool {
    guard state.instances[ordinal].node.isAskedWhenCancelled, !isForced else { return false }
    switch cancellation {
    case .requested, .timeout, nil: return true
    case .history, .engine: return false
    }
  }

  /// Runs an operation that may outlast a cancellation in a task of its own, which the end of the others does not cancel.
  func beginLasting(_ ordinal: Int) {
    ending.lasting[ordinal] = Task(executorPreference: services.loop) { await self.executeLasting(ordinal) }
  }

  private func executeLasting(_ ordinal: Int) async {
    await execute(ordinal)
    ending.lasting[ordinal] = nil
  }

  /// The run is cancelled: of what goes on and is asked anyway, that goes on whose `when` is true of a cancelled run, too.
  func spareWhatAsks() {
    for (ordinal, task) in ending.lasting {
      if goesOn(ordinal) { ending.spare(ordinal) } else { task.cancel() }
    }
  }

  private func goesOn(_ ordinal: Int) -> Bool {
    let node = state.instances[ordinal].node
    guard cancellation == .requested, !isForced, let condition = node.definition.condition else { return false }
    // One that names the item is asked for each of those that have not begun.
    return node.conditionIsPerItem || (try? holds(condition, for: ordinal)) ?? false
  }

  /// Ends an operation that has not begun with the run.
  func concludeCalledOff(_ ordinal: Int) {
    recorder.conclude(ordinal, .cancelled, cancellationReason)
  }

  /// The run is being cancelled: what has not begun never will, but for what is asked anyway.
  func cancelPending() {
    queue.remove { !mayBeAsked($0) }
    for ordinal in state.pipeline.operations.indices where state.instances[ordinal].state == .pending {
      guard !state.instances[ordinal].turn.hasBegun, !mayBeAsked(ordinal) else { continue }
      concludeCalledOff(ordinal)
      // Those that it leaves waiting may be asked now.
      settle(ordinal)
    }
    wake()
  }

  /// Kills every process of the run at once, those of nested runs included.
  func kill() {
    ending.force()
    for child in children.values { child.assumeIsolated { $0.kill() } }
    waits.ringAll()
    cancel(.requested)
    ending.spareNothing()
    // What is asked anyway and has not begun never will.
    wake()
    plugins.abandonAttempts()
    jobs.kill()
  }

  /// Somebody asks something of the run.
  func take(_ request: RunRequest) {
    switch request {
    case .cancel: cancel(.requested)
    case .kill: kill()
    }
  }
}
