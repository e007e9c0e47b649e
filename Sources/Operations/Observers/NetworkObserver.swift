/// Knows how well something is connected, and tells when that changes.
public protocol NetworkObserver: Sendable {
  /// The status now. Cheap; may be called from any thread.
  var currentStatus: NetworkConnectionStatus { get }

  /// Calls `handler` with the new status after each change, until the subscription ends.
  ///
  /// Handlers are called in the order of their subscription, one change after the other, on any thread and under no
  /// lock, and not at the time of subscribing.
  func subscribe(with handler: @escaping @Sendable (NetworkConnectionStatus) -> Void) -> OperationSubscription

  /// When the status last rose to `threshold`, or fell below it; nil, the default, where that is not known.
  func statusChangedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp?
}

extension NetworkObserver {
  /// Unknown.
  public func statusChangedAt(crossing threshold: NetworkConnectionStatus) -> Timestamp? { nil }
}
