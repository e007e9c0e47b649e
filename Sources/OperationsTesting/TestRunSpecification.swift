import Operations
import Synchronization

/// A condition that the test decides.
public final class TestRunSpecification: OperationRunSpecification {
  private struct State {
    var isSatisfied: Bool
    var changedAt: Timestamp?
    var subscriptionCount = 0
  }

  /// What descriptions call the condition.
  public let name: String
  private let state: Mutex<State>
  private let handlers = HandlerList<Void>()

  /// A condition that is satisfied, or not, until the test says otherwise.
  public init(_ isSatisfied: Bool = false, name: String = "test", changedAt: Timestamp? = nil) {
    self.name = name
    state = Mutex(State(isSatisfied: isSatisfied, changedAt: changedAt))
  }

  /// The value. Setting it tells the subscribers when it differs.
  public var isSatisfied: Bool {
    get { state.withLock { $0.isSatisfied } }
    set { set(newValue) }
  }

  /// How many subscriptions there are.
  public var subscriberCount: Int { handlers.count }

  /// How many subscriptions there have been.
  public var subscriptionCount: Int { state.withLock { $0.subscriptionCount } }

  /// Sets the value, and tells the subscribers when it differs.
  ///
  /// - Parameters:
  ///   - isSatisfied: The value.
  ///   - time: When it changed, for descriptions; nil leaves that unknown.
  public func set(_ isSatisfied: Bool, at time: Timestamp? = nil) {
    let isChange = state.withLock { state in
      guard state.isSatisfied != isSatisfied else { return false }
      state.isSatisfied = isSatisfied
      state.changedAt = time
      return true
    }
    if isChange { handlers.notify(()) }
  }

  /// Tells the subscribers that the value may have changed, although it has not.
  public func repeatValue() {
    handlers.notify(())
  }

  /// The value.
  public func isSatisfied(in context: OperationContext) -> Bool { isSatisfied }

  /// Calls `onChange` when the test changes or repeats the value.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    state.withLock { $0.subscriptionCount += 1 }
    return handlers.subscribe { onChange() }
  }

  /// The name and the value.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let state = state.withLock { $0 }
    return SpecificationDescription(
      name: name, isSatisfied: state.isSatisfied, changedAt: state.changedAt, in: context)
  }
}
