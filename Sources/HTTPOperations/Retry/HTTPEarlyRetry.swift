public import Operations

/// The events that bring a waiting attempt forward, before the end of its delay.
///
/// Each event starts a small random delay, so that many waiting attempts do not start at the same instant. No event ever postpones an attempt, or counts
/// as one.
public struct HTTPEarlyRetry: Sendable, Hashable {
  /// The network of this computer comes back. Observed without any traffic.
  public var network: Bool
  /// The host accepts connections on the port again. Detected by connecting to it during the wait; since this is traffic, it must be enabled explicitly.
  public var endpoint: Bool
  /// Another request to the same scheme, host and port succeeded. Only for an endpoint that could not be reached: one that answered this request with a
  /// failure may serve others all the time.
  public var peerSuccess: Bool
  /// The upper bound of the random delay after an event. Defaults to 1 s.
  public var jitter: Duration

  /// Creates a set of events.
  public init(network: Bool, endpoint: Bool, peerSuccess: Bool, jitter: Duration = .seconds(1)) {
    self.network = network
    self.endpoint = endpoint
    self.peerSuccess = peerSuccess
    self.jitter = jitter
  }

  /// The events that cost nothing: the network, and other requests' success.
  public static let standard = HTTPEarlyRetry(network: true, endpoint: false, peerSuccess: true)
  /// All events.
  public static let all = HTTPEarlyRetry(network: true, endpoint: true, peerSuccess: true)
  /// No events.
  public static let none = HTTPEarlyRetry(network: false, endpoint: false, peerSuccess: false)

  /// Creates the wakers for one wait.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint that failed.
  ///   - peers: The source of other requests' successes.
  ///   - isUnreachable: Whether the attempt found no connection. If not, other requests' success does not count, and the host is probed first, since only
  ///     a change to reachable wakes.
  ///   - context: Provides the delays and the randomness.
  /// - Returns: One waker for each kind that is enabled and fits the failure.
  public func wakers(
    for endpoint: HTTPEndpoint, peers: HTTPPeers, isUnreachable: Bool, in context: OperationContext
  ) -> [any RetryWaker] {
    let news = EarlyNews(endpoint: endpoint, peers: peers, isUnreachable: isUnreachable, early: self, context: context)
    var wakers: [any RetryWaker] = []
    if network || self.endpoint { wakers.append(ReachableWaker(news: news)) }
    if peerSuccess, isUnreachable { wakers.append(PeerSuccessWaker(news: news)) }
    return wakers
  }
}

/// The state shared by the wakers of one wait.
final class EarlyNews: Sendable {
  let endpoint: HTTPEndpoint
  let peers: HTTPPeers
  let isUnreachable: Bool
  let early: HTTPEarlyRetry
  // Not the whole context, which contains what belongs to the attempt alone.
  let delayer: any OperationDelayer
  let random: OperationRandom

  init(
    endpoint: HTTPEndpoint, peers: HTTPPeers, isUnreachable: Bool, early: HTTPEarlyRetry, context: OperationContext
  ) {
    self.endpoint = endpoint
    self.peers = peers
    self.isUnreachable = isUnreachable
    self.early = early
    delayer = context.operationDelayer
    random = context.operationRandom
  }
}

/// Wakes when another request to the same scheme, host and port succeeds.
struct PeerSuccessWaker: RetryWaker {
  let news: EarlyNews

  var name: String { "peer-success" }

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let firing = EarlyFiring(news, onWake: onWake)
    news.peers.add(firing, to: .success(news.endpoint))
    return OperationSubscription { firing.end() }
  }
}

/// Wakes when the network, or the host and port, comes back. Only a change counts: what is available when the wait begins does not wake.
struct ReachableWaker: RetryWaker {
  let news: EarlyNews

  var name: String { "reachable" }

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let firing = EarlyFiring(news, onWake: onWake)
    if news.early.network { news.peers.add(firing, to: .network) }
    let end = OperationSubscription { firing.end() }
    return news.early.endpoint ? .combined([watchEndpoint(firing), end]) : end
  }

  private func watchEndpoint(_ firing: EarlyFiring) -> OperationSubscription {
    let observer = news.peers.reachability(of: news.endpoint)
    let known: Bool? = observer.currentStatus == .connected ? true : news.isUnreachable ? false : nil
    let turn = Turn(known)
    return .combined([
      observer.subscribeToTries { [weak observer] in
        guard let observer else { return }
        if turn.take(observer.currentStatus == .connected) { firing.fire() }
      },
      // This subscription makes the observer connect.
      observer.subscribe { _ in },
      // The peers hold the observer only weakly.
      OperationSubscription { withExtendedLifetime(observer) {} },
    ])
  }
}
