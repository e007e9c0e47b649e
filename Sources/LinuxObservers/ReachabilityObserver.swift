import Operations
import Synchronization

/// Observes whether a host accepts connections on a port: `connected` while it does; `disconnected` while it does not, or before the first attempt.
///
/// While there are subscribers, it opens a TCP connection and closes it again. After a failure it retries, with growing delays, and at once when this
/// computer's network changes; after a success it checks again after ``Settings/recheck``, to notice when the host becomes unreachable. This is the only
/// observer that sends anything, and it sends nothing without subscribers.
///
/// Handlers are called on any thread.
public final class ReachabilityObserver: NetworkObserver {
  /// The timing of connection attempts.
  public struct Settings: Sendable {
    /// The delay before the next attempt after a failed one. Default: exponential from 1 s to 60 s, with full jitter.
    public var backoff: OperationBackoff
    /// The delay before the next attempt after a successful one. Default: 60 s.
    public var recheck: Duration
    /// The time limit of one attempt, including the lookup of the name. Default: 5 s.
    public var timeout: Duration

    /// Creates settings; each has a default.
    public init(
      backoff: OperationBackoff = OperationBackoff(), recheck: Duration = .seconds(60), timeout: Duration = .seconds(5)
    ) {
      self.backoff = backoff
      self.recheck = recheck
      self.timeout = timeout
    }
  }

  typealias Probe = @Sendable (OperationContext) async throws -> Void

  private struct State {
    var subscriberCount = 0
    var task: Task<Void, Never>?
    var history = NetworkStatusHistory(.disconnected)
    var failure: String?
  }

  private let state = Mutex(State())
  private let handlers = HandlerList<NetworkConnectionStatus>()
  private let tries = HandlerList<Void>()
  private let settings: Settings
  private let network: any NetworkObserver
  private let context: OperationContext
  private let probe: Probe

  /// Creates an observer that does nothing until it is subscribed to.
  ///
  /// - Parameters:
  ///   - host: A name or a numeric address.
  ///   - port: The TCP port.
  ///   - settings: The timing of attempts.
  ///   - network: The observer whose changes trigger a waiting attempt at once; by default, that of the kernel's tables.
  ///   - context: Supplies the clock, the delayer and the randomness for timeouts and delays.
  public convenience init(
    host: String, port: UInt16, settings: Settings = Settings(), network: any NetworkObserver = NetlinkObserver.shared,
    context: OperationContext = OperationContext()
  ) {
    let runner = OperationRunner(ConnectProbe(host: host, port: port).timeout(settings.timeout), context: context)
    self.init(settings: settings, network: network, context: context) { _ in try await runner.run() }
  }

  init(settings: Settings, network: any NetworkObserver, context: OperationContext, probe: @escaping Probe) {
    self.settings = settings
    self.network = network
    self.context = context
    self.probe = probe
  }

  deinit { state.withLock { $0.task }?.cancel() }

  /// `connected` if the last attempt succeeded; `disconnected` if it failed, or if there has been none since the first subscription.
  public var currentStatus: NetworkConnectionStatus { state.withLock { $0.history.status } }

  /// The error message of the last attempt; nil if it succeeded or if there was none.
  public var failure: String? { state.withLock { $0.failure } }

  /// Calls `handler` after each change of the status, on any thread.
  public func subscribe(
    with handler: @escaping @Sendable (NetworkConnectionStatus) -> Void
  ) -> OperationSubscription {
    let subscription = handlers.subscribe(handler)
    state.withLock { state in
      state.subscriberCount += 1
      if state.task == nil {
        state.history = NetworkStatusHistory(.disconnected)
        state.task = Task { [weak self] in await self?.follow() }
      }
    }
    return OperationSubscription { [self] in
      subscription.cancel()
      end()
    }
  }

  /// Calls `handler` after each attempt, whatever its outcome, because ``failure`` may have changed. Does not itself cause attempts;
  /// ``subscribe(with:)`` does.
  public func subscribeToTries(_ handler: @escaping @Sendable () -> Void) -> OperationSubscription {
    tries.subscribe { _ in handler() }
  }

  /// Returns when the host last became reachable or unreachable.
  public func statusChangedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp? {
    state.withLock { $0.history.changedAt(crossing: threshold) }
  }

  private func end() {
    let task: Task<Void, Never>? = state.withLock { state in
      state.subscriberCount -= 1
      guard state.subscriberCount == 0 else { return nil }
      defer { state.task = nil }
      state.history = NetworkStatusHistory(.disconnected)
      return state.task
    }
    task?.cancel()
  }

  /// Retries until an attempt succeeds, waits for the recheck, and repeats until the task is cancelled.
  private func follow() async {
    let changes = NetworkChangeWaker(network)
    let policy = RetryPolicy(limit: .max, backoff: settings.backoff, wakers: [changes])
    let tries = OperationRunner(Try(observer: self).retry(policy), context: context)
    let quiet = context.forNestedOperation()
    do {
      while true {
        try await tries.run()
        try await RetryPause(of: settings.recheck, wakers: [changes], in: quiet).run(isolation: nil)
      }
    } catch is CancellationError {
    } catch {
      // The delayer failed; its error gives the reason.
      take(.disconnected, because: "\(error)")
    }
  }

  private func take(_ status: NetworkConnectionStatus, because failure: String?) {
    guard !Task.isCancelled else { return }
    let now = context.operationClock.now()
    let isChange = state.withLock { state in
      guard state.task != nil else { return false }
      state.failure = failure
      return state.history.take(status, at: now)
    }
    if isChange { handlers.notify(status) }
    tries.notify(())
  }

  /// One attempt, whose outcome determines the status.
  private struct Try: OperationRequest {
    let observer: ReachabilityObserver

    func run(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      with continuation: OperationContinuation<Void, any Error>
    ) async throws {
      do {
        try await observer.probe(context)
        observer.take(.connected, because: nil)
      } catch {
        observer.take(.disconnected, because: "\(error)")
        throw error
      }
    }
  }
}

/// Wakes when the network changes, including for a change that came while nothing was waiting.
private final class NetworkChangeWaker: RetryWaker {
  private struct State {
    var hasChanged = false
    var waiting: (id: Int, onWake: @Sendable () -> Void)?
    var lastID = 0
  }

  /// The state and the function that the handler calls, separate from the waker so that the subscription does not retain the waker.
  private final class Changes: Sendable {
    let state = Mutex(State())

    func note() {
      let onWake: (@Sendable () -> Void)? = state.withLock { state in
        state.hasChanged = state.waiting == nil
        return state.waiting?.onWake
      }
      onWake?()
    }
  }

  let name = "network"
  private let changes: Changes
  private let subscription: OperationSubscription

  init(_ network: any NetworkObserver) {
    let changes = Changes()
    self.changes = changes
    subscription = network.subscribe { _ in changes.note() }
  }

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let (id, hasChanged) = changes.state.withLock { state in
      state.lastID += 1
      state.waiting = (state.lastID, onWake)
      defer { state.hasChanged = false }
      return (state.lastID, state.hasChanged)
    }
    if hasChanged { onWake() }
    return OperationSubscription { [changes] in
      changes.state.withLock { state in
        if state.waiting?.id == id { state.waiting = nil }
      }
    }
  }
}
