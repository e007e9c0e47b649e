import LinuxObservers
public import Operations
import Synchronization

/// What requests to the same scheme, host and port know of one another: their successes, and whether the host is there.
///
/// One for all operations of a process is what early retries need, and ``shared`` is that one. It holds nothing but
/// what somebody waits for.
public final class HTTPPeers: Sendable {
  /// The one that operations have unless they are given another.
  public static let shared = HTTPPeers()

  /// Tells of the network of this machine.
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

  /// Invariant: an endpoint is in `waiting` exactly while somebody subscribes to its successes.
  private struct State {
    var waiting: [HTTPEndpoint: Waiting] = [:]
    var reachability: [HTTPEndpoint: WeakReachability] = [:]
  }

  private let state = Mutex(State())
  /// What brings waiting attempts forward, while there are any.
  let sources: Mutex<[EarlySource.Kind: EarlySource]> = Mutex([:])

  /// Peers that know nothing of each other yet.
  ///
  /// - Parameters:
  ///   - network: Tells of the network of this machine; the kernel's tables by default.
  ///   - channel: Carries successes between processes; nil, the default, keeps them in this one.
  ///   - reachability: Makes what finds out whether somebody listens at an endpoint. By default
  ///     `ReachabilityObserver`.
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

  /// A request to `endpoint` succeeded: wakes those who wait for it here, and tells other processes.
  public func succeeded(at endpoint: HTTPEndpoint) {
    wake(endpoint)
    channel?.announce(endpoint)
  }

  /// Calls `handler` after each success at `endpoint`, here or in another process, on any thread, until the
  /// subscription ends.
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
      // Whoever came first may have left meanwhile, and another be first now.
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

  /// What finds out whether somebody listens at `endpoint`: one for all who wait at the same time.
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
  /// A request of this process to `endpoint` succeeded. Called after each success: must not take long, nor fail.
  func announce(_ endpoint: HTTPEndpoint)
  /// Calls `handler` when a request of another process to `endpoint` has succeeded, on any thread, until the
  /// subscription ends.
  func subscribe(to endpoint: HTTPEndpoint, _ handler: @escaping @Sendable () -> Void) -> OperationSubscription
}

/// Finds out whether somebody accepts connections at an endpoint, while somebody subscribes.
public protocol HTTPReachability: NetworkObserver, AnyObject {
  /// Calls `handler` after each try, whatever came of it.
  func subscribeToTries(_ handler: @escaping @Sendable () -> Void) -> OperationSubscription
}

extension ReachabilityObserver: HTTPReachability {}
