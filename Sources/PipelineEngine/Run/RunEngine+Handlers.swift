import Expressions
import OperatingSystem
import PipelineLanguage
import RunHistory
import Values

/// What runs after the operations: the handlers, and the termination of leftover processes.
extension RunEngine {
  /// Runs the handlers that match the outcome, and returns how the whole run ends.
  func runHandlers() async -> RunEnd {
    let end = operationsEnd()
    guard run.ending.failure == nil, !run.state.pipeline.handlers.isEmpty else { return end }
    let outcome = end.state
    run.state.times.outcome = (end, run.recorder.end(of: run.state.times.startedAt, run.state.times.started))
    run.state.status = ExpressionStatus(hasFailure: outcome == .failed, isCancelled: outcome == .cancelled)
    let wanted: PipelineDefinition.Event = outcome == .succeeded ? .success : outcome == .cancelled ? .cancel : .failure
    let first = run.state.pipeline.operations.count
    let ordinals = run.state.pipeline.handlers.indices.map { first + $0 }.filter { ordinal in
      let event = run.state.instances[ordinal].node.event
      return event == wanted || event == .always
    }
    // Failures of handlers under a former host count like this host's.
    for ordinal in ordinals where hasFailed(ordinal) { run.state.noteFailure() }
    // A separate task: handlers run although the run's tasks were cancelled.
    let handlers = Task(executorPreference: run.services.loop) { await self.execute(handlers: ordinals) }
    run.ending.handlers = handlers
    await handlers.value
    run.ending.handlers = nil
    if outcome == .succeeded, let failed = ordinals.first(where: hasFailed) {
      return .failed(.handlerFailed(run.state.instances[failed].name))
    }
    return end
  }

  /// Runs the handlers that have not ended yet, one after another.
  private func execute(handlers: [Int]) async {
    for ordinal in handlers where !run.isForced && !run.state.instances[ordinal].state.isFinal {
      await executeNode(ordinal)
    }
  }

  /// Whether an operation or handler failed whose failure is not allowed.
  private func hasFailed(_ ordinal: Int) -> Bool {
    run.state.instances[ordinal].state == .failed && !run.state.instances[ordinal].node.definition.allowFailure
  }

  /// Returns how the run ends, as determined by its operations.
  private func operationsEnd() -> RunEnd {
    if let cancellation = run.cancellation { return cancellation.end }
    // By index, because an instance is large to copy.
    let operations = run.state.pipeline.operations.indices
    if let failed = operations.first(where: hasFailed) {
      return .failed(.operationFailed(run.state.instances[failed].name))
    }
    if let unsatisfied = operations.first(where: { run.state.instances[$0].state == .cancelled }) {
      let instance = run.state.instances[unsatisfied]
      return .failed(.operationNotRun(instance.name, code: instance.reason?.code ?? "cancelled"))
    }
    return .succeeded
  }

  /// Terminates the processes that operations of this run started and left behind. Scans other processes only if there may be such leftovers.
  func endLeftovers() async {
    let scope = RunScope(id: run.state.id, workspace: run.state.given.workspace)
    for executor in run.services.executors.all {
      // Processes started by plugin operations are not known to any executor.
      for notice in await executor.endLeftovers(of: scope, mayHaveStarted: !run.plugins.isEmpty) {
        run.observer.emit(.notice(run.state.id, notice))
      }
    }
  }
}
