/// The state of a ``MutationRequest``: the outcome of the newest attempt, and the history of all attempts.
///
/// An attempt is one run. ``currentValue``, ``error``, ``isLoading`` and the counts describe the attempt that started
/// last: an older one that ends later changes only its own entry in the ``history``. Values and errors set by a caller
/// count too; the most recent one is shown.
public struct MutationState<Arguments: Sendable, Value: Sendable, Failure: Error>: OperationState {
  private var outcome: OperationOutcome<Value?, Failure>
  private var activeTasks = OperationTaskList<Value, Failure>()
  /// The attempts, in the order in which they started; if the history is limited, the newest ones.
  public private(set) var history: [Attempt] = []

  /// One run of the mutation.
  public struct Attempt: Sendable, Identifiable {
    /// The task of the run.
    public let task: OperationTask<Value, Failure>
    /// The arguments of the run.
    public let arguments: Arguments
    /// The time at which it started.
    public let startedAt: Timestamp
    /// The newest result, including intermediate ones; nil before the first.
    public internal(set) var currentResult: Result<Value, Failure>?
    /// The time of the newest result; nil before the first.
    public internal(set) var lastUpdatedAt: Timestamp?
    /// Whether the run is in progress.
    public internal(set) var isLoading = true

    /// The identity of the attempt.
    public var id: OperationTaskIdentifier { task.id }

    /// The status of the attempt. Idle if it ended without a result of its own, because it was cancelled while another
    /// run continued for both.
    public var status: OperationStatus<Value, Failure> {
      isLoading ? .loading : currentResult.map { .result($0) } ?? .idle
    }
  }

  /// Creates the initial state, with `initialValue`, which is nil by default.
  public init(initialValue: Value? = nil) {
    outcome = OperationOutcome(initialValue: initialValue)
  }

  /// The newest value of the attempt that started last, or that was set; the initial value if there is none.
  public var currentValue: Value? { outcome.value }
  /// The value initially and after a reset.
  public var initialValue: Value? { outcome.initialValue }
  /// The number of values that were shown.
  public var valueUpdateCount: Int { outcome.valueUpdateCount }
  /// The time of the last value that was shown.
  public var valueLastUpdatedAt: Timestamp? { outcome.valueLastUpdatedAt }
  /// Whether the attempt that started last is in progress.
  public var isLoading: Bool { history.last?.isLoading ?? false }
  /// The newest error, unless a value has arrived since.
  public var error: Failure? { outcome.error }
  /// The number of errors that were shown.
  public var errorUpdateCount: Int { outcome.errorUpdateCount }
  /// The time of the last error that was shown.
  public var errorLastUpdatedAt: Timestamp? { outcome.errorLastUpdatedAt }
  /// Whether the value or the error was updated last.
  public var latestUpdate: OperationStateUpdate { outcome.latestUpdate }

  /// Returns whether the history has reached the context's `operationMaxHistory`.
  public func dropsValues(scheduling task: OperationTask<Value, Failure>) -> Bool {
    task.context.operationMaxHistory.map { history.count >= max($0, 1) } ?? false
  }

  /// Adds an attempt with the arguments from the task's context, and drops the oldest ones beyond the context's
  /// `operationMaxHistory`, whose results are then ignored.
  public mutating func schedule(_ task: OperationTask<Value, Failure>, at time: Timestamp) {
    activeTasks.append(task)
    guard let arguments = task.context.mutationArguments(as: Arguments.self) else { return }
    history.append(Attempt(task: task, arguments: arguments, startedAt: time))
    if let limit = task.context.operationMaxHistory, history.count > max(limit, 1) {
      history.removeFirst(history.count - max(limit, 1))
    }
  }

  /// Resets to the initial value without a history, and removes and returns all runs.
  public mutating func reset() -> [OperationTask<Value, Failure>] {
    outcome.reset()
    history = []
    return activeTasks.removeAll()
  }

  /// Applies a value or an error set by a caller.
  public mutating func update(with result: Result<Value?, Failure>, at time: Timestamp) {
    outcome.update(with: result, at: time)
  }

  /// Applies the result of an active run that is in the history.
  public mutating func update(
    with result: Result<Value, Failure>, for task: OperationTask<Value, Failure>, at time: Timestamp
  ) {
    guard isActive(task), let index = history.lastIndex(where: { $0.id == task.id }) else { return }
    history[index].currentResult = result
    history[index].lastUpdatedAt = time
    if index == history.indices.last { outcome.update(with: result.map { $0 }, at: time) }
  }

  /// Returns whether `task` is an active run.
  public func isActive(_ task: OperationTask<Value, Failure>) -> Bool { activeTasks.contains(task) }

  /// Records that a run has ended.
  public mutating func finish(_ task: OperationTask<Value, Failure>) {
    activeTasks.remove(task)
    guard let index = history.lastIndex(where: { $0.id == task.id }) else { return }
    history[index].isLoading = false
  }

  /// Returns the context with the arguments of the newest attempt, unless it already has some; nil if there are neither.
  public func contextForRerun(_ context: OperationContext) -> OperationContext? {
    if context.mutationArguments(as: Arguments.self) != nil { return context }
    guard let latest = history.last else { return nil }
    var context = context
    context.setMutationArguments(latest.arguments)
    return context
  }
}

/// The state of operations that are run with arguments: mutations, with or without a default value.
public protocol MutationOperationState<Arguments>: OperationState {
  /// The arguments, which differ between runs.
  associatedtype Arguments: Sendable
}

extension MutationState: MutationOperationState {}
