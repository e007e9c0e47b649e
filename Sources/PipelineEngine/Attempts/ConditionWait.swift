import Operations
import PipelineLanguage
import RunHistory
import Values

/// Waits for a condition, which is reported and recorded in the meantime.
struct ConditionWait {
  let run: Run
  let ordinal: Int

  /// Waits until `condition` is true, and records what is known of it as `reason`. Returns false if `limit` passes first; zero does not wait, nil
  /// waits indefinitely.
  nonisolated(nonsending) func wait(
    for condition: AnyOperationRunSpecification, _ formula: SpecificationFormula,
    atMost limit: Duration?, because reason: (OperationReason.Specification) -> OperationReason
  ) async throws -> Bool {
    let context = run.services.context
    try await run.conditions.settle(formula)
    guard !condition.isSatisfied(in: context) else { return true }
    if limit == .zero { return false }
    let signal = ConditionSignal(loop: run.services.loop)
    let held = try run.conditions.followHeld(in: formula) { signal.ring() }
    run.waits.signals[ordinal] = signal
    // Subscribe before evaluating again, so that a change between the two is not missed.
    let subscription = OperationSubscription.combined([
      condition.subscribe(in: context) { signal.ring() },
      held,
    ])
    defer {
      subscription.cancel()
      run.waits.signals[ordinal] = nil
      run.state.former[ordinal]?.waitBegan = nil
    }
    let now = run.services.moment()
    let began = min(run.state.former[ordinal]?.waitBegan ?? now.time, now.time)
    // A wait that a former host began continues from where it was.
    let former = run.state.takeFormerWait(of: ordinal, for: .specification)
    let left = limit.map { former?.left(of: $0, at: now) ?? $0 }
    let due = left.map { now.time.advanced(by: $0.wholeMicroseconds) }
    if let left { signal.expire(after: left) }
    // A run listens to the workspace only once something has to wait.
    run.listen()
    var told: String?
    while true {
      let description = condition.description(in: context)
      if condition.isSatisfied(in: context) {
        run.state.instances[ordinal].opened = OpenedGate(
          formula: formula.text, since: began, openedAt: run.services.now(), openedBy: description.reason)
        return true
      }
      if signal.isExpired { return false }
      if told != description.reason {
        told = description.reason
        let specification = OperationReason.Specification(
          formula: formula.text, why: description.reason, since: began, due: due,
          clock: due.flatMap { _ in RecordedWait.clock(now, left: left) })
        run.recorder.enter(ordinal, .waiting(reason(specification)), since: began, recordNow: true)
      }
      guard await signal.wait(), !run.isForced else { throw CancellationError() }
    }
  }
}
