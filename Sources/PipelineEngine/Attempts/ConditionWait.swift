import Operations
import PipelineLanguage
import RunHistory
import Values

/// Waiting for a condition on the world, which is told of and recorded meanwhile.
struct ConditionWait {
  let run: Run
  let ordinal: Int

  /// Waits until `condition` is true, and tells of it meanwhile, as `reason` of what is known. False when `limit` is over first; zero does not wait, nil waits for ever.
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
    // Listening begins before asking again, so that a change between the two is not missed.
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
    // What listens to the workspace is not there before something is waited for.
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
