/// Observes the status of a network connection.
public protocol NetworkObserver: Sendable {
  /// The current status. Cheap; may be called from any thread.
  var currentStatus: NetworkConnectionStatus { get }

  /// Calls `handler` with the new status after each change, until the subscription ends.
  ///
  /// Handlers are called in the order of subscription, one change at a time, on any thread and without a lock held.
  /// They are not called at the time of subscribing.
  func subscribe(with handler: @escaping @Sendable (NetworkConnectionStatus) -> Void) -> OperationSubscription

  /// Returns the time at which the status last rose to `threshold` or fell below it; nil, the default, if unknown.
  func statusChangedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp?
}

extension NetworkObserver {
  /// Returns nil: unknown.
  public func statusChangedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp? { nil }
}
