import Synchronization

/// State shared by the copies of one ``HoldRunSpecification``: the watches of its subscribers, and the time measured if
/// there are none.
final class HoldWatches: Sendable {
  private struct Asked {
    let since: Duration
    let subscription: OperationSubscription
  }

  private struct State {
    var lastID = 0
    var watches: [(id: Int, watch: HoldWatch)] = []
    var asked: Asked?
  }

  private let state = Mutex(State())

  func insert(_ watch: HoldWatch) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.watches.append((state.lastID, watch))
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    let removed: HoldWatch? = state.withLock { state in
      guard let index = state.watches.firstIndex(where: { $0.id == id }) else { return nil }
      return state.watches.remove(at: index).watch
    }
    withExtendedLifetime(removed) {}
  }

  /// Returns the watch of a subscriber with the same context as the caller.
  func watch(in context: OperationContext) -> HoldWatch? {
    state.withLock { state in state.watches.first { $0.watch.context.isSame(as: context) }?.watch }
  }

  /// The minimum time for which the base has been satisfied in the contexts of all subscribers; nil without subscribers.
  var leastHeldTime: Duration? {
    let watches = state.withLock { $0.watches }
    return watches.map { $0.watch.heldTime }.min()
  }

  /// Returns the time since the first evaluation during which no change was notified.
  ///
  /// The first evaluation subscribes, and the first change ends the subscription. It keeps only the specification
  /// alive, and no timer.
  func timeSinceAsked(_ base: some OperationRunSpecification, in context: OperationContext) -> Duration {
    let now = context.operationClock.monotonic()
    if let since = state.withLock({ $0.asked?.since }) { return now - since }
    let changed = FirstAnswer()
    let subscription = base.subscribe(in: context) { [weak self] in
      changed.give(true)
      self?.forgetAsking()
    }
    let unneeded: OperationSubscription? = state.withLock { state in
      guard state.asked == nil, changed.value == nil else { return subscription }
      state.asked = Asked(since: now, subscription: subscription)
      return nil
    }
    unneeded?.cancel()
    return .zero
  }

  private func forgetAsking() {
    let asked = state.withLock { state in
      defer { state.asked = nil }
      return state.asked
    }
    asked?.subscription.cancel()
  }
}
