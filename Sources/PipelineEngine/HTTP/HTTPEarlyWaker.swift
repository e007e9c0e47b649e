import HTTPOperations
import Operations
import Synchronization

/// The endpoint from which an operation's latest attempt got no response, for what can start the next attempt early.
final class HTTPLatestFailure: Sendable {
  struct Failure: Sendable {
    var endpoint: HTTPEndpoint
    var isUnreachable: Bool
  }

  private let state = Mutex<Failure?>(nil)

  var failure: Failure? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// `reachable` or `peer-success` of an operation, whose URL is known only after its request.
struct HTTPEarlyWaker: RetryWaker {
  let name: String
  let early: HTTPEarlyRetry
  let latest: HTTPLatestFailure
  let peers: HTTPPeers
  let context: OperationContext

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    guard let failure = latest.failure else { return .empty }
    let wakers = early.wakers(
      for: failure.endpoint, peers: peers, isUnreachable: failure.isUnreachable, in: context)
    return .combined(wakers.map { $0.subscribe(onWake) })
  }

  /// Returns the wakers that an operation lists under `early`.
  static func wakers(
    of early: HTTPEarlyRetry, latest: HTTPLatestFailure, peers: HTTPPeers, context: OperationContext
  ) -> [any RetryWaker] {
    var wakers: [any RetryWaker] = []
    if early.network || early.endpoint {
      var only = early
      only.peerSuccess = false
      wakers.append(
        HTTPEarlyWaker(name: "reachable", early: only, latest: latest, peers: peers, context: context))
    }
    if early.peerSuccess {
      let only = HTTPEarlyRetry(network: false, endpoint: false, peerSuccess: true, jitter: early.jitter)
      wakers.append(
        HTTPEarlyWaker(name: "peer-success", early: only, latest: latest, peers: peers, context: context))
    }
    return wakers
  }
}
