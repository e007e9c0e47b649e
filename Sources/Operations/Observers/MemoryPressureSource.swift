/// Reports when memory becomes scarce.
public protocol MemoryPressureSource: Sendable {
  /// Calls `handler` with the level each time it is reported, until the subscription ends.
  ///
  /// Handlers are called in the order of subscription, on any thread and without a lock held. The same level may be
  /// reported repeatedly while it lasts; it is not reported at the time of subscribing.
  func subscribe(with handler: @escaping @Sendable (MemoryPressure) -> Void) -> OperationSubscription
}
