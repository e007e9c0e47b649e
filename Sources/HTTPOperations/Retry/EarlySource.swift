import Operations
import Synchronization

/// The source of one kind of event for all the waits that it brings forward, with a single subscription.
final class EarlySource: Sendable {
  /// The kind of event.
  enum Kind: Hashable, Sendable {
    /// The network of this computer came back.
    case network
    /// A request to the endpoint succeeded.
    case success(HTTPEndpoint)
  }

  private struct State {
    /// The firings, each with a number in the order of their addition.
    var firings: [ObjectIdentifier: (number: UInt64, firing: EarlyFiring)] = [:]
    var lastNumber: UInt64 = 0
    var subscription: OperationSubscription?
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let onEmpty: @Sendable (EarlySource) -> Void

  /// Creates a source with a first wait. `onEmpty` is called when the last wait is removed; the source is not used after that.
  init(_ first: EarlyFiring, onEmpty: @escaping @Sendable (EarlySource) -> Void) {
    self.onEmpty = onEmpty
    _ = add(first)
  }

  /// Adds a wait.
  ///
  /// - Returns: Whether it was added: a source ends when its last wait is removed.
  func add(_ firing: EarlyFiring) -> Bool {
    firing.join(self)
    return state.withLock { state in
      guard !state.hasEnded else { return false }
      state.lastNumber += 1
      state.firings[ObjectIdentifier(firing)] = (state.lastNumber, firing)
      return true
    }
  }

  /// Removes a wait.
  func remove(_ firing: EarlyFiring) {
    let (isEmpty, subscription) = state.withLock { state in
      let known = state.firings.removeValue(forKey: ObjectIdentifier(firing))
      guard known != nil, state.firings.isEmpty else { return (false, nil as OperationSubscription?) }
      state.hasEnded = true
      return (true, state.subscription.take())
    }
    subscription?.cancel()
    if isEmpty { onEmpty(self) }
  }

  /// Keeps the subscription to the events, unless all waits were removed meanwhile.
  func keep(_ subscription: OperationSubscription) {
    let isLate = state.withLock { state in
      if !state.hasEnded { state.subscription = subscription }
      return state.hasEnded
    }
    if isLate { subscription.cancel() }
  }

  /// Handles an event. Any thread.
  func fire() {
    // In the order of addition: each draws its delay from reproducible randomness.
    let firings = state.withLock { Array($0.firings.values) }.sorted { $0.number < $1.number }
    for (_, firing) in firings { firing.fire() }
  }
}

extension HTTPPeers {
  /// Lets events of a kind fire `firing` until it ends.
  func add(_ firing: EarlyFiring, to kind: EarlySource.Kind) {
    let isKnown = sources.withLock { $0[kind]?.add(firing) ?? false }
    if isKnown { return }
    let source = EarlySource(firing) { [weak self] source in
      self?.sources.withLock { sources in
        if sources[kind] === source { sources[kind] = nil }
      }
    }
    // Published only once it receives events, so that those who join it miss none.
    source.keep(subscribe(source, to: kind))
    let isSurplus = sources.withLock { sources in
      if sources[kind]?.add(firing) == true { return true }
      sources[kind] = source
      return false
    }
    if isSurplus { source.remove(firing) }
  }

  private func subscribe(_ source: EarlySource, to kind: EarlySource.Kind) -> OperationSubscription {
    switch kind {
    case .success(let endpoint):
      return subscribeToSuccesses(at: endpoint) { [weak source] in source?.fire() }
    case .network:
      let turn = Turn(network.currentStatus == .connected)
      let subscription = network.subscribe { [weak source] status in
        if turn.take(status == .connected) { source?.fire() }
      }
      // Detects a change between the first check and the subscription, which would otherwise be missed.
      if turn.take(network.currentStatus == .connected) { source.fire() }
      return subscription
    }
  }
}
