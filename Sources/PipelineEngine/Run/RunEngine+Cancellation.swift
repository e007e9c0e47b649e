import Expressions
import PipelineLanguage
import RunHistory
import Workspace

/// What a cancellation leaves alone: operations whose `when` calls `always()`, `failure()` or `cancelled()`, as in GitHub Actions.
///
/// Where a person cancels the run, such an operation continues, or begins once its dependencies have ended, if its `when` is true of a cancelled run.
/// Where the time of the run is up, before or after that, none continues, or nothing would bound the run, but those that have not begun are asked. A second
/// cancellation (``kill()``) ends them too, and so does a history that cannot be written.
extension RunEngine {
  /// Cancels what is going on; handlers still run. Only the first reason counts, but a later one that nothing may outlast ends what that one has spared.
  func cancel(_ reason: RunCancellation, by canceller: RunCanceller? = nil) {
    guard run.ending.cancel(reason, by: canceller) else {
      if reason != .requested { endSpared(because: reason) }
      return
    }
    run.state.status.isCancelled = reason == .requested
    run.state.times.isTimedOut = reason == .timeout
    run.waits.turn?.cancel()
    run.waits.writing?.cancel()
    run.secrets.cancelReading()
    spareWhatAsks()
    endChildren(because: reason)
    run.wake()
  }

  private func endSpared(because reason: RunCancellation) {
    run.ending.spareNoOperation()
    endChildren(because: reason)
    run.wake()
  }

  private func endChildren(because reason: RunCancellation) {
    for (ordinal, child) in run.children where run.isCalledOff(ordinal) { child.end(because: .cancelled(reason)) }
  }

  /// The engine itself cannot go on, and the run fails as `engine-failed`.
  func fail(with error: any Error) {
    run.ending.fail(.engine, with: error)
    cancel(.engine)
  }

  /// The history can't be written: nothing may go on whose result would be lost.
  func historyFailed(_ error: WorkspaceError) {
    run.ending.fail(.history, with: error)
    cancel(.history)
  }

  /// Runs an operation that may outlast a cancellation in a task of its own, which the end of the others does not cancel.
  func beginLasting(_ ordinal: Int) {
    run.ending.lasting[ordinal] = Task(executorPreference: run.services.loop) { await self.executeLasting(ordinal) }
  }

  private func executeLasting(_ ordinal: Int) async {
    await execute(ordinal)
    run.ending.lasting[ordinal] = nil
    run.ending.asked[ordinal]?.cancel()
  }

  /// The run is cancelled: of what goes on and is asked anyway, that goes on whose `when` is true of a cancelled run, too.
  func spareWhatAsks() {
    for (ordinal, task) in run.ending.lasting {
      let node = run.state.instances[ordinal].node
      guard run.cancellation == .requested, !run.isForced, let condition = node.definition.condition else {
        task.cancel()
        continue
      }
      run.ending.spare(ordinal)
      // One that names the item is asked for each of those that have not begun.
      if node.conditionIsPerItem { continue }
      guard let request = run.request(ordinal, for: .condition) else {
        if (try? run.holds(condition, for: ordinal)) != true { run.ending.spareNoLonger(ordinal) }
        continue
      }
      // What goes on of it goes on until the answer is there, and nothing begins.
      run.ending.asked[ordinal] = Task(executorPreference: run.services.loop) {
        await self.ask(condition, of: ordinal, by: LoopBound(request))
      }
    }
  }

  private func ask(_ condition: Expression, of ordinal: Int, by request: LoopBound<FileReadings.Request>) async {
    let holds = await run.holdsStill(condition, for: ordinal, by: request.value)
    run.ending.asked[ordinal] = nil
    if !holds { run.ending.spareNoLonger(ordinal) }
  }

  /// Ends an operation that has not begun with the run.
  func concludeCalledOff(_ ordinal: Int) {
    run.recorder.conclude(ordinal, .cancelled(run.cancellationReason))
  }

  /// The run is being cancelled: what has not begun never will, but for what is asked anyway.
  func cancelPending() {
    run.queue.remove { !run.mayBeAsked($0) }
    for ordinal in run.state.pipeline.operations.indices where run.state.instances[ordinal].state == .pending {
      guard !run.state.instances[ordinal].turn.hasBegun, !run.mayBeAsked(ordinal) else { continue }
      concludeCalledOff(ordinal)
      // Those that it leaves waiting may be asked now.
      settle(ordinal)
    }
    run.wake()
  }

  /// Kills every process of the run at once, those of nested runs included.
  func kill(by canceller: RunCanceller? = nil) {
    run.ending.force()
    for child in run.children.values { child.end(because: .killed) }
    run.waits.ringAll()
    cancel(.requested, by: canceller)
    run.ending.spareNothing()
    // What is asked anyway and has not begun never will.
    run.wake()
    run.plugins.abandonAttempts()
    run.jobs.kill()
  }

  /// Somebody asks something of the run.
  func take(_ request: PendingRequest) {
    switch request.kind {
    case .cancel: cancel(.requested, by: request.canceller)
    case .kill: kill(by: request.canceller)
    // Where its attempt has begun meanwhile, there is nothing to do.
    case .wake: if let operation = request.operation { run.waits.retries[operation]?() }
    }
  }

  /// The run, or one nested in it, is another host's: everything ends, handlers are not run, and nothing is recorded.
  func lose(_ lost: RunID) {
    for child in run.children.values { child.end(because: .lost(lost)) }
    guard lost == id, !run.ending.isLost else { return }
    endAll(because: .runTaken(id))
  }

  /// Everything ends, and nothing is recorded.
  func endAll(because error: EngineError) {
    run.ending.lose(error)
    run.waits.ringAll()
    cancel(.engine)
    run.ending.spareNothing()
    run.wake()
  }
}
