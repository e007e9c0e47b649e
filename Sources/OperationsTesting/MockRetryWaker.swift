import Operations
import Synchronization

/// A waker that wakes retries under the test's control.
public final class MockRetryWaker: RetryWaker {
  /// The name of the waker in records.
  public let name: String
  private let subscriptions = Atomic(0)
  private let handlers = HandlerList<Void>()

  /// Creates a waker called `name`.
  public init(_ name: String) {
    self.name = name
  }

  /// The number of current subscriptions.
  public var subscriberCount: Int { handlers.count }

  /// The total number of subscriptions made so far.
  public var subscriptionCount: Int { subscriptions.load(ordering: .relaxed) }

  /// Wakes every waiting retry.
  public func fire() {
    handlers.notify(())
  }

  /// Calls `onWake` each time ``fire()`` is called.
  public func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    subscriptions.add(1, ordering: .relaxed)
    return handlers.subscribe { onWake() }
  }
}
