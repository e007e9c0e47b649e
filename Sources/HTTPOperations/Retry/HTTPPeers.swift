import LinuxObservers
public import Operations
import Synchronization

/// Shares news between requests to the same scheme, host and port: their successes, and whether the host is reachable.
///
/// Early retries need one instance for all operations of a process, which is ``shared``. It holds state only for endpoints that are being waited for.
public final class HTTPPeers: Sendable {
  /// The instance that operations use by default.
  public static let shared = HTTPPeers()

  /// Observes the network of this computer.
  public let network: any NetworkObserver
  private let channel: (any HTTPPeerChannel)?
  private let makeReachability: @Sendable (HTTPEndpoint) -> any HTTPReachability

  private struct Waiting {
    let handlers = HandlerList<Void>()
    var count = 0
    var remote: OperationSubscription?
  }

  private struct WeakReachability {
    weak var observer: (any HTTPReachability)?
  }

  /// Invariant: an endpoint is in `waiting` exactly while there is a subscription to its successes.
  private struct State {
    var waiting: [HTTPEndpoint: Waiting] = [:]
    var reachability: [HTTPEndpoint: WeakReachability] = [:]
  }

  private let state = Mutex(State())
  /// The sources of the events that bring waiting attempts forward, while there are any.
  let sources: Mutex<[EarlySource.Kind: EarlySource]> = Mutex([:])

  /// Creates an instance without state.
  ///
  /// - Parameters:
  ///   - network: Observes the network of this computer; by default, through the kernel's tables.
  ///   - channel: Carries successes between processes; nil (the default) keeps them in this process.
  ///   - reachability: Creates the observer that detects whether an endpoint accepts connections. By default a `ReachabilityObserver`.
  public init(
    network: any NetworkObserver = NetlinkObserver.shared,
    channel: (any HTTPPeerChannel)? = nil,
    reachability: (@Sendable (HTTPEndpoint) -> any HTTPReachability)? = nil
  ) {
    self.network = network
    self.channel = channel
    makeReachability =
      reachability ?? { endpoint in
        let host = endpoint.host.hasPrefix("[") ? String(endpoint.host.dropFirst().dropLast()) : endpoint.host
        return ReachabilityObserver(host: host, port: endpoint.port, network: network)
      }
  }

  /// Notes that a request to `endpoint` succeeded: wakes those waiting for it here, and notifies other processes.
  public func succeeded(at endpoint: HTTPEndpoint) {
    wake(endpoint)
    channel?.announce(endpoint)
  }

  /// Calls `handler` after each success at `endpoint`, in this or another process, on any thread, until the subscription ends.
  public func subscribeToSuccesses(
    at endpoint: HTTPEndpoint, _ handler: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let (handlers, isFirst) = state.withLock { state in
      state.waiting[endpoint, default: Waiting()].count += 1
      let waiting = state.waiting[endpoint, default: Waiting()]
      return (waiting.handlers, waiting.count == 1)
    }
    let subscription = handlers.subscribe { _ in handler() }
    if isFirst, let channel {
      let remote = channel.subscribe(to: endpoint) { [weak self] in self?.wake(endpoint) }
      // The first subscriber may have left meanwhile, and another may be the first now.
      let surplus: OperationSubscription? = state.withLock { state in
        guard state.waiting[endpoint] != nil else { return remote }
        defer { state.waiting[endpoint]?.remote = remote }
        return state.waiting[endpoint]?.remote
      }
      surplus?.cancel()
    }
    return OperationSubscription { [self] in
      subscription.cancel()
      leave(endpoint)
    }
  }

  /// Returns the observer that detects whether `endpoint` accepts connections, shared by all concurrent waits.
  public func reachability(of endpoint: HTTPEndpoint) -> any HTTPReachability {
    let known = state.withLock { $0.reachability[endpoint]?.observer }
    if let known { return known }
    let made = makeReachability(endpoint)
    return state.withLock { state in
      if let known = state.reachability[endpoint]?.observer { return known }
      state.reachability = state.reachability.filter { $0.value.observer != nil }
      state.reachability[endpoint] = WeakReachability(observer: made)
      return made
    }
  }

  private func wake(_ endpoint: HTTPEndpoint) {
    let handlers = state.withLock { $0.waiting[endpoint]?.handlers }
    handlers?.notify(())
  }

  private func leave(_ endpoint: HTTPEndpoint) {
    let remote: OperationSubscription? = state.withLock { state in
      guard var waiting = state.waiting[endpoint] else { return nil }
      waiting.count -= 1
      state.waiting[endpoint] = waiting.count == 0 ? nil : waiting
      return waiting.count == 0 ? waiting.remote : nil
    }
    remote?.cancel()
  }
}

/// Carries the news of a success from one process to another.
public protocol HTTPPeerChannel: Sendable {
  /// Announces that a request of this process to `endpoint` succeeded. Called after each success: must be fast and must not fail.
  func announce(_ endpoint: HTTPEndpoint)
  /// Calls `handler` after a request of another process to `endpoint` succeeded, on any thread, until the subscription ends.
  func subscribe(to endpoint: HTTPEndpoint, _ handler: @escaping @Sendable () -> Void) -> OperationSubscription
}

/// Detects whether an endpoint accepts connections, while there are subscribers.
public protocol HTTPReachability: NetworkObserver, AnyObject {
  /// Calls `handler` after each attempt to connect, whatever its result.
  func subscribeToTries(_ handler: @escaping @Sendable () -> Void) -> OperationSubscription
}

extension ReachabilityObserver: HTTPReachability {}
