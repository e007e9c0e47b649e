import Synchronization

/// Follows the base of a ``HoldRunSpecification`` for one subscriber, in that subscriber's context.
///
/// Invariant: a timer exists only while `since` is set, `isHeld` is false and the watch is not stopped.
final class HoldWatch: Sendable {
  private struct State {
    /// When the base became satisfied, by the context's monotonic clock; nil while it is not satisfied.
    var since: Duration?
    /// How many times it has become satisfied, so that a timer knows whether it is outdated.
    var round = 0
    /// Whether it has been satisfied for long enough, as set by the timer.
    var isHeld = false
    /// Whether the value of the base is known; nil before the first check.
    var isKnown: Bool?
    var timer: Task<Void, Never>?
    var subscription: OperationSubscription?
    var isStopped = false
    /// The number of change notifications from the base, and whether a thread is already checking.
    var changes = 0
    var isLooking = false
  }

  let context: OperationContext
  private let base: any OperationRunSpecification
  private let duration: Duration
  private let onChange: @Sendable () -> Void
  private let clock: any OperationClock
  private let state = Mutex(State())

  init(
    _ base: any OperationRunSpecification, for duration: Duration, in context: OperationContext,
    onChange: @escaping @Sendable () -> Void
  ) {
    self.base = base
    self.duration = duration
    self.context = context
    self.onChange = onChange
    clock = context.operationClock
  }

  /// How long the base has been satisfied; zero while it is not.
  var heldTime: Duration {
    let now = clock.monotonic()
    return state.withLock { state in
      guard let since = state.since else { return .zero }
      return state.isHeld ? max(duration, now - since) : now - since
    }
  }

  /// Starts to follow the base, which may already have been satisfied for some time.
  func start() {
    let subscription = base.subscribe(in: context) { [weak self] in self?.look() }
    let isStopped = state.withLock { state in
      state.subscription = subscription
      return state.isStopped
    }
    if isStopped { return subscription.cancel() }
    let known = base.description(in: context)
    let before: Duration? =
      if !known.isSatisfied { nil } else if known.isConstant { duration } else {
        known.changedAt.map { max(.zero, $0.duration(to: clock.now())) }
      }
    look(satisfiedFor: before ?? .zero)
  }

  /// Stops everything. The subscriber is no longer called.
  func stop() {
    let (timer, subscription) = state.withLock { state in
      state.isStopped = true
      state.since = nil
      defer { (state.timer, state.subscription) = (nil, nil) }
      return (state.timer, state.subscription)
    }
    timer?.cancel()
    subscription?.cancel()
  }

  /// Reads the value of the base, one thread at a time, until the value is newer than the last change.
  private func look(satisfiedFor before: Duration = .zero) {
    let isMine = state.withLock { state in
      state.changes += 1
      guard !state.isLooking, !state.isStopped else { return false }
      state.isLooking = true
      return true
    }
    guard isMine else { return }
    var before = before
    while true {
      let changes = state.withLock { $0.changes }
      let value = base.value(in: context)
      let now = clock.monotonic()
      let outcome: Outcome? = state.withLock { state in
        guard state.changes == changes else { return nil }
        state.isLooking = false
        // An unknown value is neither held nor known to be false.
        let turnsKnown = state.isKnown.map { $0 != (value != nil) } ?? false
        state.isKnown = value != nil
        var outcome = take(value == true, since: now - before, now: now, into: &state)
        outcome.isChange = (outcome.isChange || turnsKnown) && !state.isStopped
        return outcome
      }
      guard let outcome else {
        before = .zero
        continue
      }
      outcome.timer?.cancel()
      if outcome.isChange { onChange() }
      return
    }
  }

  private struct Outcome {
    var isChange = false
    var timer: Task<Void, Never>?
  }

  private func take(_ isSatisfied: Bool, since: Duration, now: Duration, into state: inout State) -> Outcome {
    guard !state.isStopped else { return Outcome() }
    if isSatisfied, state.since == nil {
      state.since = since
      state.round += 1
      let remaining = duration - (now - since)
      state.isHeld = remaining <= .zero
      if !state.isHeld { state.timer = timer(for: remaining, round: state.round) }
      // A hold that was complete before the subscription is not a change for the subscriber.
      return Outcome()
    }
    if !isSatisfied, let begin = state.since {
      let wasHeld = state.isHeld || now - begin >= duration
      let timer = state.timer
      (state.since, state.isHeld, state.timer) = (nil, false, nil)
      return Outcome(isChange: wasHeld, timer: timer)
    }
    return Outcome()
  }

  private func timer(for remaining: Duration, round: Int) -> Task<Void, Never> {
    let (delayer, logger) = (context.operationDelayer, context.operationLogger)
    return Task { [weak self] in
      do {
        try await delayer.delay(for: remaining)
        self?.expire(round)
      } catch is CancellationError {
      } catch {
        logger.warning("Cannot schedule the end of a hold, which takes effect only at the next check: \(error)")
      }
    }
  }

  private func expire(_ round: Int) {
    let isChange = state.withLock { state in
      // A timer that noticed its cancellation too late finds another round, or none.
      guard state.since != nil, state.round == round, !state.isHeld else { return false }
      state.isHeld = true
      state.timer = nil
      return true
    }
    if isChange { onChange() }
  }
}
