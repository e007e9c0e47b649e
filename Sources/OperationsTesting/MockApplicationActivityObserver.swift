import Operations
import Synchronization

/// An observer of an application that is active or inactive under the test's control.
public final class MockApplicationActivityObserver: ApplicationActivityObserver {
  private struct State {
    var isActive: Bool
    var changedAt: Timestamp?
  }

  private let state: Mutex<State>
  private let handlers = HandlerList<Bool>()
  private let clock: any OperationClock

  /// Creates an observer whose application stays active or inactive until ``send(isActive:)`` is called.
  ///
  /// - Parameters:
  ///   - isActive: Whether the application is active.
  ///   - clock: The clock that timestamps the changes.
  public init(isActive: Bool = true, clock: any OperationClock = .system) {
    state = Mutex(State(isActive: isActive))
    self.clock = clock
  }

  /// Whether the application is active.
  public var isApplicationActive: Bool { state.withLock { $0.isActive } }

  /// The time of the last change; nil if there was none.
  public var activityChangedAt: Timestamp? { state.withLock { $0.changedAt } }

  /// The number of current subscriptions.
  public var subscriberCount: Int { handlers.count }

  /// Moves the application to the foreground or background, and notifies the subscribers if this is a change.
  public func send(isActive: Bool) {
    let now = clock.now()
    let isChange = state.withLock { state in
      guard state.isActive != isActive else { return false }
      state = State(isActive: isActive, changedAt: now)
      return true
    }
    if isChange { handlers.notify(isActive) }
  }

  /// Calls `handler` immediately and after each change.
  public func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription {
    let subscription = handlers.subscribe(handler)
    handler(isApplicationActive)
    return subscription
  }
}
