import Operations

/// Memory that is as scarce as the test says.
public final class MockMemoryPressureSource: MemoryPressureSource {
  private let handlers = HandlerList<MemoryPressure>()

  /// A source that has nothing to tell until ``send(_:)``.
  public init() {}

  /// How many subscriptions there are.
  public var subscriberCount: Int { handlers.count }

  /// Tells the subscribers of `pressure`.
  public func send(_ pressure: MemoryPressure) {
    handlers.notify(pressure)
  }

  /// Calls `handler` with what the test sends.
  public func subscribe(with handler: @escaping @Sendable (MemoryPressure) -> Void) -> OperationSubscription {
    handlers.subscribe(handler)
  }
}
