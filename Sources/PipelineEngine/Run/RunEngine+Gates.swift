import Operations
import PipelineLanguage
import RunHistory
import Values

/// Waiting for conditions on the world: `run_when`, and `wait` for a specification.
extension RunEngine {
  /// Holds an operation back until its `run_when` is true. False when it was skipped instead.
  func passGate(_ ordinal: Int) async throws -> Bool {
    let node = state.instances[ordinal].node
    // The gate of a job that a former host has started was open.
    guard let gate = node.definition.gate, jobs.former[ordinal] == nil else { return true }
    let condition = try conditions.make(gate.formula)
    let waits = gate.otherwise == .wait || gate.waitAtMost != nil
    let isOpen = try await wait(
      for: condition, gate.formula, ordinal, atMost: waits ? gate.waitAtMost : .zero
    ) { .gate($0) }
    if isOpen { return true }
    let why = condition.description(in: services.context).reason
    guard gate.otherwise == .skip else {
      let waited = gate.waitAtMost.map { " within \(DurationNotation.format($0))" } ?? ""
      throw OperationFailure(
        code: "gate-closed", message: "run_when: \(gate.formula.text) was not true\(waited): \(why)")
    }
    recorder.conclude(ordinal, .skipped, .gate(OperationReason.Specification(formula: gate.formula.text, why: why)))
    return false
  }

  /// Waits until `condition` is true, and tells of it meanwhile, as `reason` of what is known. False when `limit` is over first; zero does not wait, nil waits for ever.
  func wait(
    for condition: AnyOperationRunSpecification, _ formula: SpecificationFormula, _ ordinal: Int,
    atMost limit: Duration?, because reason: (OperationReason.Specification) -> OperationReason
  ) async throws -> Bool {
    let context = services.context
    try await conditions.settle(formula)
    guard !condition.isSatisfied(in: context) else { return true }
    if limit == .zero { return false }
    let signal = ConditionSignal(loop: services.loop)
    let held = try conditions.followHeld(in: formula) { signal.ring() }
    waits.signals[ordinal] = signal
    // Listening begins before asking again, so that a change between the two is not missed.
    let subscription = OperationSubscription.combined([
      condition.subscribe(in: context) { signal.ring() },
      held,
    ])
    defer {
      subscription.cancel()
      waits.signals[ordinal] = nil
      state.former[ordinal]?.waitBegan = nil
    }
    let now = services.moment()
    let began = min(state.former[ordinal]?.waitBegan ?? now.time, now.time)
    // A wait that a former host began continues from where it was.
    let former = formerWait(of: ordinal, for: .specification)
    let left = limit.map { former?.left(of: $0, at: now) ?? $0 }
    let due = left.map { now.time.advanced(by: $0.wholeMicroseconds) }
    if let left { signal.expire(after: left) }
    // What listens to the workspace is not there before something is waited for.
    startWatching()
    var told: String?
    while true {
      let description = condition.description(in: context)
      if condition.isSatisfied(in: context) {
        state.instances[ordinal].opened = OpenedGate(
          formula: formula.text, since: began, openedAt: services.now(), openedBy: description.reason)
        return true
      }
      if signal.isExpired { return false }
      if told != description.reason {
        told = description.reason
        let specification = OperationReason.Specification(
          formula: formula.text, why: description.reason, since: began, due: due,
          clock: due.flatMap { _ in RecordedWait.clock(now, left: left) })
        recorder.enter(ordinal, .waiting, reason(specification), since: began, recordNow: true)
      }
      guard await signal.wait(), !isForced else { throw CancellationError() }
    }
  }
}

/// Rings any number of times for one waiter on the loop.
final class ConditionSignal: @unchecked Sendable {
  // @unchecked: `waiter`, `hasRung`, `isExpired` and `timer` are touched only on the loop.

  private let loop: EventLoop
  private var waiter: LoopWaiter?
  private var hasRung = false
  private(set) var isExpired = false
  private var timer: EventLoop.Token?

  init(loop: EventLoop) { self.loop = loop }

  deinit {
    if let timer { loop.execute { [loop] in loop.cancelTimer(timer) } }
  }

  /// Wakes the waiter, or the next one. Any thread.
  func ring() {
    loop.execute { self.wake() }
  }

  /// Wakes the waiter once the time is over. *On the loop.*
  func expire(after duration: Duration) {
    timer = loop.schedule(after: max(.zero, duration)) { [weak self] in
      self?.timer = nil
      self?.isExpired = true
      self?.wake()
    }
  }

  /// True when it rang since the last wait; false when the task was cancelled. *On the loop.*
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    if hasRung {
      hasRung = false
      return true
    }
    let waiter = LoopWaiter(loop: loop)
    self.waiter = waiter
    let isAwake = await waiter.wait()
    self.waiter = nil
    hasRung = false
    return isAwake
  }

  private func wake() {
    hasRung = true
    waiter?.wake()
  }
}
