import Expressions
import OperatingSystem
import PipelineLanguage
import RunHistory
import Values

/// What runs after the operations: handlers, and the end of processes that were left behind.
extension RunEngine {
  /// Runs the handlers that the outcome asks for, and returns the outcome of the whole run with its reason.
  func runHandlers() async -> (RunState, String?) {
    var (outcome, reason) = operationsOutcome()
    guard ending.failure == nil, !state.pipeline.handlers.isEmpty else { return (outcome, reason) }
    state.times.outcome = (outcome, reason, recorder.end(of: state.times.startedAt, state.times.started))
    state.status = ExpressionStatus(hasFailure: outcome == .failed, isCancelled: outcome == .cancelled)
    let wanted: PipelineDefinition.Event = outcome == .succeeded ? .success : outcome == .cancelled ? .cancel : .failure
    let first = state.pipeline.operations.count
    let ordinals = state.pipeline.handlers.indices.map { first + $0 }.filter { ordinal in
      let event = state.instances[ordinal].node.event
      return event == wanted || event == .always
    }
    // Those of a former host count like this one's.
    for ordinal in ordinals where hasFailed(ordinal) { state.noteFailure() }
    // A task of their own: handlers run although the run's tasks were cancelled.
    let handlers = Task(executorPreference: services.loop) { await self.execute(handlers: ordinals) }
    ending.handlers = handlers
    await handlers.value
    ending.handlers = nil
    if outcome == .succeeded, let failed = ordinals.first(where: hasFailed) {
      outcome = .failed
      reason = "handler-failed: \(state.instances[failed].name)"
    }
    return (outcome, reason)
  }

  /// Runs, one after another, the handlers that have not ended yet.
  private func execute(handlers: [Int]) async {
    for ordinal in handlers where !isForced && !state.instances[ordinal].state.isFinal { await executeNode(ordinal) }
  }

  /// Whether an operation or handler failed that may not.
  private func hasFailed(_ ordinal: Int) -> Bool {
    state.instances[ordinal].state == .failed && !state.instances[ordinal].node.definition.allowFailure
  }

  private func operationsOutcome() -> (RunState, String?) {
    switch cancellation {
    case .timeout: return (.failed, "timeout")
    case .history: return (.failed, "history-failed")
    case .engine: return (.failed, "engine-failed")
    case .requested: return (.cancelled, nil)
    case nil: break
    }
    // By their numbers: an instance is large to copy.
    let operations = state.pipeline.operations.indices
    if let failed = operations.first(where: hasFailed) {
      return (.failed, "operation-failed: \(state.instances[failed].name)")
    }
    if let unsatisfied = operations.first(where: { state.instances[$0].state == .cancelled }) {
      return (
        .failed, "\(state.instances[unsatisfied].reason?.code ?? "cancelled"): \(state.instances[unsatisfied].name)"
      )
    }
    return (.succeeded, nil)
  }

  /// Ends the processes that operations of this run started and left behind. Other processes are looked at only where there are such.
  func endLeftovers() async {
    let scope = RunScope(id: state.id, workspace: state.workspace)
    // What operations of plugins have started is known to no executor.
    var notices = await services.local.endLeftovers(of: scope, mayHaveStarted: !plugins.isEmpty)
    if !(services.executor is LocalExecutor) {
      notices += await services.executor.endLeftovers(of: scope, mayHaveStarted: false)
    }
    for notice in notices { observer.emit(.notice(state.id, notice)) }
  }
}
