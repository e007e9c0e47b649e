/// The state of a ``QueryRequest``: the newest fetched value, nil before there is one.
public struct QueryState<Value: Sendable, Failure: Error>: OperationState {
  @usableFromInline var tasks = OperationTaskList<Value, Failure>()
  @usableFromInline var outcome: OperationOutcome<Value?, Failure>

  /// The state before anything happened, with `initialValue`, which is nil by default.
  public init(initialValue: Value? = nil) {
    outcome = OperationOutcome(initialValue: initialValue)
  }

  /// The runs that go on, in the order in which they started.
  public var activeTasks: OperationTaskList<Value, Failure> { tasks }
  /// The newest value that was fetched or set; the initial value before.
  public var currentValue: Value? { outcome.value }
  /// The value before anything happened, and after a reset.
  public var initialValue: Value? { outcome.initialValue }
  /// How often a value was fetched, yielded or set.
  public var valueUpdateCount: Int { outcome.valueUpdateCount }
  /// When a value last came.
  public var valueLastUpdatedAt: Timestamp? { outcome.valueLastUpdatedAt }
  /// Whether a run goes on.
  public var isLoading: Bool { !tasks.isEmpty }
  /// The newest error, unless a value came after it.
  public var error: Failure? { outcome.error }
  /// How often an error came.
  public var errorUpdateCount: Int { outcome.errorUpdateCount }
  /// When an error last came.
  public var errorLastUpdatedAt: Timestamp? { outcome.errorLastUpdatedAt }
  /// Which of value and error came last.
  public var latestUpdate: OperationStateUpdate { outcome.latestUpdate }

  /// Adds a run.
  @inlinable
  public mutating func schedule(_ task: OperationTask<Value, Failure>, at time: Timestamp) {
    tasks.append(task)
  }

  /// Goes back to the initial value and forgets all runs, which are returned.
  public mutating func reset() -> [OperationTask<Value, Failure>] {
    outcome.reset()
    return tasks.removeAll()
  }

  /// Takes over a value or an error that somebody set.
  public mutating func update(with result: Result<Value?, Failure>, at time: Timestamp) {
    outcome.update(with: result, at: time)
  }

  /// Takes over the result of an active run.
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

  /// Whether `task` is among the runs that go on.
  @inlinable
  public func isActive(_ task: OperationTask<Value, Failure>) -> Bool { tasks.contains(task) }

  /// Forgets a run that has ended.
  @inlinable
  public mutating func finish(_ task: OperationTask<Value, Failure>) {
    tasks.remove(task)
  }
}

/// The state of operations that are run by fetching: of queries, also with a default value.
public protocol QueryOperationState: OperationState {}

extension QueryState: QueryOperationState {}
