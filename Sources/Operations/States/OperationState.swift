/// The state of one operation: its value, its error and its runs.
///
/// A state is a value. An ``OperationStore`` holds one and changes it through the mutating members, which it calls
/// while holding its lock: they must only compute, and must not call anything that could call the store.
///
/// Mutating members that apply an update get the time as a parameter, for the records. No decision compares times, so
/// that a clock that stands still or jumps changes no outcome: ``latestUpdate`` says which update was last.
public protocol OperationState<StateValue, OperationValue, Failure>: Sendable {
  /// The value that the state holds, such as an optional value or a list of pages.
  associatedtype StateValue: Sendable
  /// The result of one run of the operation.
  associatedtype OperationValue: Sendable
  /// The error that a run can throw.
  associatedtype Failure: Error

  /// The current value. A failure keeps the previous value.
  var currentValue: StateValue { get }
  /// The value initially and after a reset.
  var initialValue: StateValue { get }
  /// The number of updates of the value, by results or by callers, since the start or the last reset.
  var valueUpdateCount: Int { get }
  /// The time of the last update of the value; nil before the first.
  var valueLastUpdatedAt: Timestamp? { get }
  /// Whether a run is in progress.
  var isLoading: Bool { get }
  /// The newest error; nil if there was none or a value has arrived since.
  var error: Failure? { get }
  /// The number of errors since the start or the last reset.
  var errorUpdateCount: Int { get }
  /// The time of the last error; nil before the first.
  var errorLastUpdatedAt: Timestamp? { get }
  /// Whether the value or the error was updated last.
  var latestUpdate: OperationStateUpdate { get }

  /// Returns whether ``schedule(_:at:)`` of `task` would drop something that the state holds, such as a value or arguments.
  ///
  /// The store then retains it until the lock is released, because releasing a value may run arbitrary code, such as the end of a
  /// subscription. Default: false.
  func dropsValues(scheduling task: OperationTask<OperationValue, Failure>) -> Bool

  /// Adds a task that is about to start. Dependencies of the task can be added here.
  mutating func schedule(_ task: OperationTask<OperationValue, Failure>, at time: Timestamp)

  /// Resets to the initial state.
  ///
  /// - Returns: The tasks that were active, to be cancelled. The state no longer has them: their results are ignored.
  mutating func reset() -> [OperationTask<OperationValue, Failure>]

  /// Applies a value or an error set by a caller.
  mutating func update(with result: Result<StateValue, Failure>, at time: Timestamp)

  /// Applies a final or intermediate result of `task`. Does nothing if the task is not active.
  mutating func update(
    with result: Result<OperationValue, Failure>,
    for task: OperationTask<OperationValue, Failure>,
    at time: Timestamp)

  /// Returns whether `task` is active, so that its results are applied.
  func isActive(_ task: OperationTask<OperationValue, Failure>) -> Bool

  /// Removes a task that has ended.
  mutating func finish(_ task: OperationTask<OperationValue, Failure>)

  /// Returns the context for a run without explicit input, or nil if the operation cannot run without it.
  func contextForRerun(_ context: OperationContext) -> OperationContext?
}

extension OperationState {
  /// Loading while a run is in progress; otherwise the last update, or idle if there was none.
  public var status: OperationStatus<StateValue, Failure> {
    if isLoading { return .loading }
    switch latestUpdate {
    case .none: return .idle
    case .value: return .result(.success(currentValue))
    case .error: return error.map { .result(.failure($0)) } ?? .idle
    }
  }

  /// Returns false: nothing is dropped.
  @inlinable
  public func dropsValues(scheduling task: OperationTask<OperationValue, Failure>) -> Bool { false }

  /// Returns `context` itself: the operation needs no input.
  @inlinable
  public func contextForRerun(_ context: OperationContext) -> OperationContext? { context }
}

/// The kind of a state's last update.
public enum OperationStateUpdate: Sendable, Hashable {
  /// There was no update.
  case none
  /// A value.
  case value
  /// An error.
  case error
}
