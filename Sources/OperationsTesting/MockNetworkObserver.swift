import Operations
import Synchronization

/// An observer of a network whose status the test controls.
public final class MockNetworkObserver: NetworkObserver {
  private let history: Mutex<NetworkStatusHistory>
  private let handlers = HandlerList<NetworkConnectionStatus>()
  private let clock: any OperationClock

  /// Creates an observer whose status stays the same until ``send(_:)`` is called.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - clock: The clock that timestamps the changes.
  public init(_ status: NetworkConnectionStatus = .connected, clock: any OperationClock = .system) {
    history = Mutex(NetworkStatusHistory(status))
    self.clock = clock
  }

  /// The current status.
  public var currentStatus: NetworkConnectionStatus { history.withLock { $0.status } }

  /// The number of current subscriptions.
  public var subscriberCount: Int { handlers.count }

  /// Sets the status, and notifies the subscribers if this is a change.
  public func send(_ status: NetworkConnectionStatus) {
    let now = clock.now()
    if history.withLock({ $0.take(status, at: now) }) { handlers.notify(status) }
  }

  /// Calls `handler` after each change.
  public func subscribe(
    with handler: @escaping @Sendable (NetworkConnectionStatus) -> Void
  ) -> OperationSubscription {
    handlers.subscribe(handler)
  }

  /// Returns the time at which the status last crossed `threshold`, or nil if it never did.
  public func statusChangedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp? {
    history.withLock { $0.changedAt(crossing: threshold) }
  }
}
