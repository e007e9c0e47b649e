import Operations
import Synchronization

/// A waker that wakes retries when the test says so.
public final class MockRetryWaker: RetryWaker {
  /// What records call the waker.
  public let name: String
  private let subscriptions = Atomic(0)
  private let handlers = HandlerList<Void>()

  /// A waker called `name`.
  public init(_ name: String) {
    self.name = name
  }

  /// How many subscriptions there are.
  public var subscriberCount: Int { handlers.count }

  /// How many subscriptions there have been.
  public var subscriptionCount: Int { subscriptions.load(ordering: .relaxed) }

  /// Wakes every retry that waits.
  public func fire() {
    handlers.notify(())
  }

  /// Calls `onWake` when the test says so.
  public func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    subscriptions.add(1, ordering: .relaxed)
    return handlers.subscribe { onWake() }
  }
}
