public import Operations

/// What brings a waiting attempt forward, besides the end of its delay.
///
/// Each event sets a small random delay, so that many who wait do not come back at one instant. None ever postpones an
/// attempt, and none counts as one.
public struct HTTPEarlyRetry: Sendable, Hashable {
  /// The network of this machine comes back. Observed, without any traffic.
  public var network: Bool
  /// The host accepts connections on the port again. Found out by connecting to it while somebody waits, which is
  /// traffic that somebody has to ask for.
  public var endpoint: Bool
  /// Another request to the same scheme, host and port succeeded.
  public var peerSuccess: Bool
  /// The random delay after an event is below this. 1 s by default.
  public var jitter: Duration

  /// What brings an attempt forward.
  public init(network: Bool, endpoint: Bool, peerSuccess: Bool, jitter: Duration = .seconds(1)) {
    self.network = network
    self.endpoint = endpoint
    self.peerSuccess = peerSuccess
    self.jitter = jitter
  }

  /// What costs nothing: the network and the success of others.
  public static let standard = HTTPEarlyRetry(network: true, endpoint: false, peerSuccess: true)
  /// Everything.
  public static let all = HTTPEarlyRetry(network: true, endpoint: true, peerSuccess: true)
  /// Nothing.
  public static let none = HTTPEarlyRetry(network: false, endpoint: false, peerSuccess: false)

  /// Makes the wakers for one wait.
  ///
  /// - Parameters:
  ///   - endpoint: Who failed.
  ///   - peers: Who tells of the others.
  ///   - isUnreachable: Whether the attempt found that there is no connection; else that is found out first, since only
  ///     a turn wakes.
  ///   - context: Has the delays and the randomness.
  /// - Returns: One for each kind that was asked for.
  public func wakers(
    for endpoint: HTTPEndpoint, peers: HTTPPeers, isUnreachable: Bool, in context: OperationContext
  ) -> [any RetryWaker] {
    var wakers: [any RetryWaker] = []
    if network || self.endpoint {
      wakers.append(
        ReachableWaker(
          endpoint: endpoint, peers: peers, watchesNetwork: network, watchesEndpoint: self.endpoint,
          isUnreachable: isUnreachable, spread: EarlySpread(jitter: jitter, context: context)))
    }
    if peerSuccess {
      wakers.append(
        PeerSuccessWaker(endpoint: endpoint, peers: peers, spread: EarlySpread(jitter: jitter, context: context)))
    }
    return wakers
  }
}

/// Another request to the same scheme, host and port succeeded.
struct PeerSuccessWaker: RetryWaker {
  let name = "peer-success"
  let endpoint: HTTPEndpoint
  let peers: HTTPPeers
  let spread: EarlySpread

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let firing = EarlyFiring(spread: spread, onWake: onWake)
    let subscription = peers.subscribeToSuccesses(at: endpoint) { firing.fire() }
    return OperationSubscription {
      subscription.cancel()
      firing.end()
    }
  }
}

/// The network, or the host and port, came back. Only a turn counts: what is there when the wait begins wakes nobody.
struct ReachableWaker: RetryWaker {
  let name = "reachable"
  let endpoint: HTTPEndpoint
  let peers: HTTPPeers
  let watchesNetwork: Bool
  let watchesEndpoint: Bool
  let isUnreachable: Bool
  let spread: EarlySpread

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let firing = EarlyFiring(spread: spread, onWake: onWake)
    var subscriptions: [OperationSubscription] = []
    if watchesNetwork {
      let turn = Turn(peers.network.currentStatus == .connected)
      subscriptions.append(
        peers.network.subscribe { status in
          if turn.take(status == .connected) { firing.fire() }
        })
      // A turn between the first look and the subscription would be lost otherwise.
      if turn.take(peers.network.currentStatus == .connected) { firing.fire() }
    }
    if watchesEndpoint {
      let observer = peers.reachability(of: endpoint)
      let known: Bool? = observer.currentStatus == .connected ? true : isUnreachable ? false : nil
      let turn = Turn(known)
      subscriptions.append(
        observer.subscribeToTries { [weak observer] in
          guard let observer else { return }
          if turn.take(observer.currentStatus == .connected) { firing.fire() }
        })
      // It is this one that makes the observer try.
      subscriptions.append(observer.subscribe { _ in })
      // The peers know the observer only weakly.
      subscriptions.append(OperationSubscription { withExtendedLifetime(observer) {} })
    }
    subscriptions.append(OperationSubscription { firing.end() })
    return .combined(subscriptions)
  }
}
