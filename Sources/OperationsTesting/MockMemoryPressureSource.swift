import Operations

/// A source of memory pressure under the test's control.
public final class MockMemoryPressureSource: MemoryPressureSource {
  private let handlers = HandlerList<MemoryPressure>()

  /// Creates a source that reports nothing until ``send(_:)`` is called.
  public init() {}

  /// The number of current subscriptions.
  public var subscriberCount: Int { handlers.count }

  /// Reports `pressure` to the subscribers.
  public func send(_ pressure: MemoryPressure) {
    handlers.notify(pressure)
  }

  /// Calls `handler` with each pressure sent.
  public func subscribe(with handler: @escaping @Sendable (MemoryPressure) -> Void) -> OperationSubscription {
    handlers.subscribe(handler)
  }
}
