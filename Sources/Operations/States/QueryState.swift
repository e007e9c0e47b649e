/// The state of a ``QueryRequest``: the newest fetched value, nil if there is none.
public struct QueryState<Value: Sendable, Failure: Error>: OperationState {
  @usableFromInline var tasks = OperationTaskList<Value, Failure>()
  @usableFromInline var outcome: OperationOutcome<Value?, Failure>

  /// Creates the initial state, with `initialValue`, which is nil by default.
  public init(initialValue: Value? = nil) {
    outcome = OperationOutcome(initialValue: initialValue)
  }

  /// The active runs, in the order in which they started.
  public var activeTasks: OperationTaskList<Value, Failure> { tasks }
  /// The newest value that was fetched or set; the initial value before that.
  public var currentValue: Value? { outcome.value }
  /// The value initially and after a reset.
  public var initialValue: Value? { outcome.initialValue }
  /// The number of values that were fetched, yielded or set.
  public var valueUpdateCount: Int { outcome.valueUpdateCount }
  /// The time of the last value.
  public var valueLastUpdatedAt: Timestamp? { outcome.valueLastUpdatedAt }
  /// Whether a run is in progress.
  public var isLoading: Bool { !tasks.isEmpty }
  /// The newest error, unless a value has arrived since.
  public var error: Failure? { outcome.error }
  /// The number of errors.
  public var errorUpdateCount: Int { outcome.errorUpdateCount }
  /// The time of the last error.
  public var errorLastUpdatedAt: Timestamp? { outcome.errorLastUpdatedAt }
  /// Whether the value or the error was updated last.
  public var latestUpdate: OperationStateUpdate { outcome.latestUpdate }

  /// Adds a run.
  @inlinable
  public mutating func schedule(_ task: OperationTask<Value, Failure>, at time: Timestamp) {
    tasks.append(task)
  }

  /// Resets to the initial value, and removes and returns all runs.
  public mutating func reset() -> [OperationTask<Value, Failure>] {
    outcome.reset()
    return tasks.removeAll()
  }

  /// Applies a value or an error set by a caller.
  public mutating func update(with result: Result<Value?, Failure>, at time: Timestamp) {
    outcome.update(with: result, at: time)
  }

  /// Applies the result of an active run.
  @inlinable
  public mutating func update(
    with result: Result<Value, Failure>, for task: OperationTask<Value, Failure>, at time: Timestamp
  ) {
    guard isActive(task) else { return }
    switch result {
    case .success(let value): outcome.update(to: value, at: time)
    case .failure(let error): outcome.update(throwing: error, at: time)
    }
  }

  /// Returns whether `task` is an active run.
  @inlinable
  public func isActive(_ task: OperationTask<Value, Failure>) -> Bool { tasks.contains(task) }

  /// Removes a run that has ended.
  @inlinable
  public mutating func finish(_ task: OperationTask<Value, Failure>) {
    tasks.remove(task)
  }
}

/// The state of operations that are run by fetching: queries, with or without a default value.
public protocol QueryOperationState: OperationState {}

extension QueryState: QueryOperationState {}
