import Operations
import Synchronization

/// An application that is in the foreground when the test says so.
public final class MockApplicationActivityObserver: ApplicationActivityObserver {
  private struct State {
    var isActive: Bool
    var changedAt: Timestamp?
  }

  private let state: Mutex<State>
  private let handlers = HandlerList<Bool>()
  private let clock: any OperationClock

  /// An application that is active, or not, until ``send(isActive:)``.
  ///
  /// - Parameters:
  ///   - isActive: Whether it is active.
  ///   - clock: Stamps the changes.
  public init(isActive: Bool = true, clock: any OperationClock = .system) {
    state = Mutex(State(isActive: isActive))
    self.clock = clock
  }

  /// Whether the application is active.
  public var isApplicationActive: Bool { state.withLock { $0.isActive } }

  /// When the test last changed it.
  public var activityChangedAt: Timestamp? { state.withLock { $0.changedAt } }

  /// How many subscriptions there are.
  public var subscriberCount: Int { handlers.count }

  /// Moves the application to the foreground or the background, and tells the subscribers when that differs.
  public func send(isActive: Bool) {
    let now = clock.now()
    let isChange = state.withLock { state in
      guard state.isActive != isActive else { return false }
      state = State(isActive: isActive, changedAt: now)
      return true
    }
    if isChange { handlers.notify(isActive) }
  }

  /// Calls `handler` at once, and after each change that the test makes.
  public func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription {
    let subscription = handlers.subscribe(handler)
    handler(isApplicationActive)
    return subscription
  }
}
