import Operations
import Synchronization

/// A network that is connected as well as the test says.
public final class MockNetworkObserver: NetworkObserver {
  private let history: Mutex<NetworkStatusHistory>
  private let handlers = HandlerList<NetworkConnectionStatus>()
  private let clock: any OperationClock

  /// A network of a status that stays until ``send(_:)``.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - clock: Stamps the changes of the status.
  public init(_ status: NetworkConnectionStatus = .connected, clock: any OperationClock = .system) {
    history = Mutex(NetworkStatusHistory(status))
    self.clock = clock
  }

  /// The status that the test has chosen.
  public var currentStatus: NetworkConnectionStatus { history.withLock { $0.status } }

  /// How many subscriptions there are.
  public var subscriberCount: Int { handlers.count }

  /// Changes the status, and tells the subscribers when it differs.
  public func send(_ status: NetworkConnectionStatus) {
    let now = clock.now()
    if history.withLock({ $0.take(status, at: now) }) { handlers.notify(status) }
  }

  /// Calls `handler` after each change that the test makes.
  public func subscribe(
    with handler: @escaping @Sendable (NetworkConnectionStatus) -> Void
  ) -> OperationSubscription {
    handlers.subscribe(handler)
  }

  /// When the test last made the status cross `threshold`.
  public func statusChangedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp? {
    history.withLock { $0.changedAt(crossing: threshold) }
  }
}
