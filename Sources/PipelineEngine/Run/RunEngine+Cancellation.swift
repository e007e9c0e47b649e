import Expressions
import PipelineLanguage
import RunHistory
import Workspace

/// Cancellation, and what it spares: operations whose `when` calls `always()`, `failure()` or `cancelled()`, as in GitHub Actions.
///
/// When a person cancels the run, such an operation continues, or begins once its dependencies have ended, if its `when` is true in a cancelled run.
/// When the run times out, before or after that, none continues, because nothing would limit the run's duration; those that have not begun are still
/// evaluated. A second cancellation (``kill()``) ends them too, and so does a history that cannot be written.
extension RunEngine {
  /// Cancels everything that is running; handlers still run. Only the first reason counts, but a later reason that nothing may outlast also ends what
  /// the first one spared.
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

  /// Fails the run as `engine-failed`, because the engine itself cannot continue.
  func fail(with error: any Error) {
    run.ending.fail(.engine, with: error)
    cancel(.engine)
  }

  /// The history cannot be written: nothing may continue whose result would be lost.
  func historyFailed(_ error: WorkspaceError) {
    run.ending.fail(.history, with: error)
    cancel(.history)
  }

  /// Runs an operation that may outlast a cancellation in its own task, which is not cancelled with the others.
  func beginLasting(_ ordinal: Int) {
    run.ending.lasting[ordinal] = Task(executorPreference: run.services.loop) { await self.executeLasting(ordinal) }
  }

  private func executeLasting(_ ordinal: Int) async {
    await execute(ordinal)
    run.ending.lasting[ordinal] = nil
    run.ending.asked[ordinal]?.cancel()
  }

  /// Decides which running operations outlast the cancellation: those whose `when` is also true in a cancelled run.
  func spareWhatAsks() {
    for (ordinal, task) in run.ending.lasting {
      let node = run.state.instances[ordinal].node
      guard run.cancellation == .requested, !run.isForced, let condition = node.definition.condition else {
        task.cancel()
        continue
      }
      run.ending.spare(ordinal)
      // A condition that names the item is evaluated for each item that has not begun.
      if node.conditionIsPerItem { continue }
      guard let request = run.request(ordinal, for: .condition) else {
        if (try? run.holds(condition, for: ordinal)) != true { run.ending.spareNoLonger(ordinal) }
        continue
      }
      // Its running items continue until the condition is evaluated, and no further items begin.
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

  /// Ends an operation that has not begun because the run is cancelled.
  func concludeCalledOff(_ ordinal: Int) {
    run.recorder.conclude(ordinal, .cancelled(run.cancellationReason))
  }

  /// Ends the operations that have not begun when the run is cancelled, except those whose `when` is still to be evaluated.
  func cancelPending() {
    run.queue.remove { !run.mayBeAsked($0) }
    for ordinal in run.state.pipeline.operations.indices where run.state.instances[ordinal].state == .pending {
      guard !run.state.instances[ordinal].turn.hasBegun, !run.mayBeAsked(ordinal) else { continue }
      concludeCalledOff(ordinal)
      // Operations that depended on it may be evaluated now.
      settle(ordinal)
    }
    run.wake()
  }

  /// Kills every process of the run immediately, including those of nested runs.
  func kill(by canceller: RunCanceller? = nil) {
    run.ending.force()
    for child in run.children.values { child.end(because: .killed) }
    run.waits.ringAll()
    cancel(.requested, by: canceller)
    run.ending.spareNothing()
    // Operations that are evaluated regardless and have not begun never begin.
    run.wake()
    run.plugins.abandonAttempts()
    run.jobs.kill()
  }

  /// Handles a request of another process.
  func take(_ request: PendingRequest) {
    switch request.kind {
    case .cancel: cancel(.requested, by: request.canceller)
    case .kill: kill(by: request.canceller)
    // If its attempt has begun in the meantime, there is nothing to do.
    case .wake: if let operation = request.operation { run.waits.retries[operation]?() }
    }
  }

  /// The run, or one nested in it, belongs to another host: everything ends, handlers do not run, and nothing is recorded.
  func lose(_ lost: RunID) {
    for child in run.children.values { child.end(because: .lost(lost)) }
    guard lost == id, !run.ending.isLost else { return }
    endAll(because: .runTaken(id))
  }

  /// Ends everything without recording it.
  func endAll(because error: EngineError) {
    run.ending.lose(error)
    run.waits.ringAll()
    cancel(.engine)
    run.ending.spareNothing()
    run.wake()
  }
}
