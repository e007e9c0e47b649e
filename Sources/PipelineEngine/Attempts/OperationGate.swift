import Operations
import PipelineLanguage
import RunHistory
import Values

/// The `run_when` of one operation.
struct OperationGate {
  let run: Run
  let ordinal: Int

  /// Waits until the operation's `run_when` is true. Returns false if the operation was skipped instead.
  nonisolated(nonsending) func pass() async throws -> Bool {
    let node = run.state.instances[ordinal].node
    // The gate was open for a job that a former host started.
    guard let gate = node.definition.gate, run.jobs.former[ordinal] == nil else { return true }
    let condition = try run.conditions.make(gate.formula)
    let waits = gate.otherwise == .wait || gate.waitAtMost != nil
    let isOpen = try await ConditionWait(run: run, ordinal: ordinal).wait(
      for: condition, gate.formula, atMost: waits ? gate.waitAtMost : .zero
    ) { .gate($0) }
    if isOpen { return true }
    let why = condition.description(in: run.services.context).reason
    guard gate.otherwise == .skip else {
      let waited = gate.waitAtMost.map { " within \(DurationNotation.format($0))" } ?? ""
      throw OperationFailure(
        code: "gate-closed", message: "run_when: \(gate.formula.text) was not true\(waited): \(why)")
    }
    run.recorder.conclude(
      ordinal, .skipped(.gate(OperationReason.Specification(formula: gate.formula.text, why: why))))
    return false
  }
}
