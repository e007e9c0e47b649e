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
  /// Another request to the same scheme, host and port succeeded. For an endpoint that was not reached: one that answered
  /// this request with a failure may well serve others all the time.
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
  ///   - isUnreachable: Whether the attempt found that there is no connection; else the success of others does not count,
  ///     and whether the host is there is found out first, since only a turn wakes.
  ///   - context: Has the delays and the randomness.
  /// - Returns: One for each kind that was asked for and that fits the failure.
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

/// What the wakers of one wait have in common.
final class EarlyNews: Sendable {
  let endpoint: HTTPEndpoint
  let peers: HTTPPeers
  let isUnreachable: Bool
  let early: HTTPEarlyRetry
  // Not the whole context: that of an attempt has what belongs to the attempt alone.
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

/// Another request to the same scheme, host and port succeeded.
struct PeerSuccessWaker: RetryWaker {
  let news: EarlyNews

  var name: String { "peer-success" }

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let firing = EarlyFiring(news, onWake: onWake)
    news.peers.add(firing, to: .success(news.endpoint))
    return OperationSubscription { firing.end() }
  }
}

/// The network, or the host and port, came back. Only a turn counts: what is there when the wait begins wakes nobody.
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
      // It is this one that makes the observer try.
      observer.subscribe { _ in },
      // The peers know the observer only weakly.
      OperationSubscription { withExtendedLifetime(observer) {} },
    ])
  }
}
