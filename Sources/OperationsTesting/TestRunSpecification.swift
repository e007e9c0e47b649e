import Operations
import Synchronization

/// A specification that the test controls.
public final class TestRunSpecification: OperationRunSpecification {
  private struct State {
    var isSatisfied: Bool
    var changedAt: Timestamp?
    var subscriptionCount = 0
  }

  /// The name of the specification in descriptions.
  public let name: String
  private let state: Mutex<State>
  private let handlers = HandlerList<Void>()

  /// Creates a specification that stays satisfied or unsatisfied until the test changes it.
  public init(_ isSatisfied: Bool = false, name: String = "test", changedAt: Timestamp? = nil) {
    self.name = name
    state = Mutex(State(isSatisfied: isSatisfied, changedAt: changedAt))
  }

  /// The current value. Setting it notifies the subscribers if it changes.
  public var isSatisfied: Bool {
    get { state.withLock { $0.isSatisfied } }
    set { set(newValue) }
  }

  /// The number of current subscriptions.
  public var subscriberCount: Int { handlers.count }

  /// The total number of subscriptions made so far.
  public var subscriptionCount: Int { state.withLock { $0.subscriptionCount } }

  /// Sets the value, and notifies the subscribers if it changes.
  ///
  /// - Parameters:
  ///   - isSatisfied: The value.
  ///   - time: The time of the change, for descriptions; nil if unknown.
  public func set(_ isSatisfied: Bool, at time: Timestamp? = nil) {
    let isChange = state.withLock { state in
      guard state.isSatisfied != isSatisfied else { return false }
      state.isSatisfied = isSatisfied
      state.changedAt = time
      return true
    }
    if isChange { handlers.notify(()) }
  }

  /// Notifies the subscribers of a possible change although there is none.
  public func repeatValue() {
    handlers.notify(())
  }

  /// Returns the current value.
  public func isSatisfied(in context: OperationContext) -> Bool { isSatisfied }

  /// Calls `onChange` each time the test changes or repeats the value.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    state.withLock { $0.subscriptionCount += 1 }
    return handlers.subscribe { onChange() }
  }

  /// Returns the name and the value.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let state = state.withLock { $0 }
    return SpecificationDescription(
      name: name, isSatisfied: state.isSatisfied, changedAt: state.changedAt, in: context)
  }
}
