import Operations
import Synchronization

/// Events of one kind, and the waits that they bring forward: one subscription for all of them.
final class EarlySource: Sendable {
  /// What happens.
  enum Kind: Hashable, Sendable {
    /// The network of this machine came back.
    case network
    /// A request to the endpoint succeeded.
    case success(HTTPEndpoint)
  }

  private struct State {
    /// With the number that each was given when it was added.
    var firings: [ObjectIdentifier: (number: UInt64, firing: EarlyFiring)] = [:]
    var lastNumber: UInt64 = 0
    var subscription: OperationSubscription?
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let onEmpty: @Sendable (EarlySource) -> Void

  /// A source with a first wait. `onEmpty` is called when the last has left, after which the source is not used any more.
  init(_ first: EarlyFiring, onEmpty: @escaping @Sendable (EarlySource) -> Void) {
    self.onEmpty = onEmpty
    _ = add(first)
  }

  /// Adds a wait.
  ///
  /// - Returns: Whether that was possible: a source that was left by all ends.
  func add(_ firing: EarlyFiring) -> Bool {
    firing.join(self)
    return state.withLock { state in
      guard !state.hasEnded else { return false }
      state.lastNumber += 1
      state.firings[ObjectIdentifier(firing)] = (state.lastNumber, firing)
      return true
    }
  }

  /// Takes a wait out.
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

  /// Keeps what brings the events, unless all have left meanwhile.
  func keep(_ subscription: OperationSubscription) {
    let isLate = state.withLock { state in
      if !state.hasEnded { state.subscription = subscription }
      return state.hasEnded
    }
    if isLate { subscription.cancel() }
  }

  /// The event. From any thread.
  func fire() {
    // In the order in which they were added: each draws its delay from randomness that can be repeated.
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
    // Known to others only once it brings events: whoever joins it misses none.
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
      // A turn between the first look and the subscription would be lost otherwise.
      if turn.take(network.currentStatus == .connected) { source.fire() }
      return subscription
    }
  }
}
