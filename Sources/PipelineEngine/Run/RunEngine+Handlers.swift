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
    guard run.ending.failure == nil, !run.state.pipeline.handlers.isEmpty else { return (outcome, reason) }
    run.state.times.outcome = (
      outcome, reason, run.recorder.end(of: run.state.times.startedAt, run.state.times.started)
    )
    run.state.status = ExpressionStatus(hasFailure: outcome == .failed, isCancelled: outcome == .cancelled)
    let wanted: PipelineDefinition.Event = outcome == .succeeded ? .success : outcome == .cancelled ? .cancel : .failure
    let first = run.state.pipeline.operations.count
    let ordinals = run.state.pipeline.handlers.indices.map { first + $0 }.filter { ordinal in
      let event = run.state.instances[ordinal].node.event
      return event == wanted || event == .always
    }
    // Those of a former host count like this one's.
    for ordinal in ordinals where hasFailed(ordinal) { run.state.noteFailure() }
    // A task of their own: handlers run although the run's tasks were cancelled.
    let handlers = Task(executorPreference: run.services.loop) { await self.execute(handlers: ordinals) }
    run.ending.handlers = handlers
    await handlers.value
    run.ending.handlers = nil
    if outcome == .succeeded, let failed = ordinals.first(where: hasFailed) {
      outcome = .failed
      reason = "handler-failed: \(run.state.instances[failed].name)"
    }
    return (outcome, reason)
  }

  /// Runs, one after another, the handlers that have not ended yet.
  private func execute(handlers: [Int]) async {
    for ordinal in handlers where !run.isForced && !run.state.instances[ordinal].state.isFinal {
      await executeNode(ordinal)
    }
  }

  /// Whether an operation or handler failed that may not.
  private func hasFailed(_ ordinal: Int) -> Bool {
    run.state.instances[ordinal].state == .failed && !run.state.instances[ordinal].node.definition.allowFailure
  }

  private func operationsOutcome() -> (RunState, String?) {
    switch run.cancellation {
    case .timeout: return (.failed, "timeout")
    case .history: return (.failed, "history-failed")
    case .engine: return (.failed, "engine-failed")
    case .requested: return (.cancelled, nil)
    case nil: break
    }
    // By their numbers: an instance is large to copy.
    let operations = run.state.pipeline.operations.indices
    if let failed = operations.first(where: hasFailed) {
      return (.failed, "operation-failed: \(run.state.instances[failed].name)")
    }
    if let unsatisfied = operations.first(where: { run.state.instances[$0].state == .cancelled }) {
      return (
        .failed,
        "\(run.state.instances[unsatisfied].reason?.code ?? "cancelled"): \(run.state.instances[unsatisfied].name)"
      )
    }
    return (.succeeded, nil)
  }

  /// Ends the processes that operations of this run started and left behind. Other processes are looked at only where there are such.
  func endLeftovers() async {
    let scope = RunScope(id: run.state.id, workspace: run.state.given.workspace)
    // What operations of plugins have started is known to no executor.
    var notices = await run.services.local.endLeftovers(of: scope, mayHaveStarted: !run.plugins.isEmpty)
    if !(run.services.executor is LocalExecutor) {
      notices += await run.services.executor.endLeftovers(of: scope, mayHaveStarted: false)
    }
    for notice in notices { run.observer.emit(.notice(run.state.id, notice)) }
  }
}
