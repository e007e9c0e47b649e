/// Tells when memory becomes scarce.
public protocol MemoryPressureSource: Sendable {
  /// Calls `handler` with the level each time there is news of it, until the subscription ends.
  ///
  /// Handlers are called in the order of their subscription, on any thread and under no lock. The same level may be told
  /// again while it lasts; it is not told at the time of subscribing.
  func subscribe(with handler: @escaping @Sendable (MemoryPressure) -> Void) -> OperationSubscription
}
