/// Everything that is known of one operation: its value, its error, its runs.
///
/// A state is a value. An ``OperationStore`` holds one and changes it by the mutating members, which it calls under its
/// lock: they must only compute, and must not call anything that could come back to the store.
///
/// Each mutating member that brings news gets the time from outside, for the records. Nothing is decided by comparing
/// times, so that a clock that stands still or jumps changes no outcome: what came last is ``latestUpdate``.
public protocol OperationState<StateValue, OperationValue, Failure>: Sendable {
  /// What the state holds, such as an optional value or a list of pages.
  associatedtype StateValue: Sendable
  /// What one run of the operation produces.
  associatedtype OperationValue: Sendable
  /// What a run can throw.
  associatedtype Failure: Error

  /// The value now. A failure keeps the value there was.
  var currentValue: StateValue { get }
  /// The value before anything happened, and after a reset.
  var initialValue: StateValue { get }
  /// How often the value was updated, by results and by hand, since the start or the last reset.
  var valueUpdateCount: Int { get }
  /// When the value was last updated; nil before the first time.
  var valueLastUpdatedAt: Timestamp? { get }
  /// Whether a run goes on.
  var isLoading: Bool { get }
  /// The newest error; nil when none came, or when a value came after it.
  var error: Failure? { get }
  /// How often an error came since the start or the last reset.
  var errorUpdateCount: Int { get }
  /// When the last error came; nil before the first.
  var errorLastUpdatedAt: Timestamp? { get }
  /// Which of value and error came last.
  var latestUpdate: OperationStateUpdate { get }

  /// Whether ``schedule(_:at:)`` of `task` would drop something that the state holds, such as a value or arguments.
  ///
  /// The store then keeps it until its lock is free, because the end of a value may run anything, the end of a subscription for example. False by
  /// default.
  func dropsValues(scheduling task: OperationTask<OperationValue, Failure>) -> Bool

  /// Takes in a task that is about to start. What the task shall wait for can be added to it here.
  mutating func schedule(_ task: OperationTask<OperationValue, Failure>, at time: Timestamp)

  /// Goes back to the initial state.
  ///
  /// - Returns: The tasks that were active, to be cancelled. The state has forgotten them: their results are ignored.
  mutating func reset() -> [OperationTask<OperationValue, Failure>]

  /// Takes over a value or an error that somebody set.
  mutating func update(with result: Result<StateValue, Failure>, at time: Timestamp)

  /// Takes over a final or intermediate result of `task`. Does nothing when the task is not active.
  mutating func update(
    with result: Result<OperationValue, Failure>,
    for task: OperationTask<OperationValue, Failure>,
    at time: Timestamp)

  /// Whether `task` is active, so that its results count.
  func isActive(_ task: OperationTask<OperationValue, Failure>) -> Bool

  /// Forgets a task that has ended.
  mutating func finish(_ task: OperationTask<OperationValue, Failure>)

  /// The context for a run that nobody has given any input; nil when the operation cannot run like that.
  func contextForRerun(_ context: OperationContext) -> OperationContext?
}

extension OperationState {
  /// Loading while a run goes on; otherwise idle, or whichever of value and error came last.
  public var status: OperationStatus<StateValue, Failure> {
    if isLoading { return .loading }
    switch latestUpdate {
    case .none: return .idle
    case .value: return .result(.success(currentValue))
    case .error: return error.map { .result(.failure($0)) } ?? .idle
    }
  }

  /// False: nothing is dropped.
  @inlinable
  public func dropsValues(scheduling task: OperationTask<OperationValue, Failure>) -> Bool { false }

  /// `context` itself: the operation needs no input.
  @inlinable
  public func contextForRerun(_ context: OperationContext) -> OperationContext? { context }
}

/// Which kind of news a state got last.
public enum OperationStateUpdate: Sendable, Hashable {
  /// No news yet.
  case none
  /// A value.
  case value
  /// An error.
  case error
}
