/// The state of a ``MutationRequest``: what came of the newest attempt, and the history of all.
///
/// An attempt is one run. ``currentValue``, ``error``, ``isLoading`` and the counts speak of the attempt that started
/// last: an older one that ends after it changes its own entry of the ``history`` and nothing else. What is set by hand
/// counts as well; whichever came last is shown.
public struct MutationState<Arguments: Sendable, Value: Sendable, Failure: Error>: OperationState {
  private var outcome: OperationOutcome<Value?, Failure>
  private var activeTasks = OperationTaskList<Value, Failure>()
  /// The attempts, in the order in which they started; of a bounded history the newest.
  public private(set) var history: [Attempt] = []

  /// One run of the mutation.
  public struct Attempt: Sendable, Identifiable {
    /// The task of the run.
    public let task: OperationTask<Value, Failure>
    /// What the mutation was run with.
    public let arguments: Arguments
    /// When it started.
    public let startedAt: Timestamp
    /// The newest result, intermediate ones included; nil before the first.
    public internal(set) var currentResult: Result<Value, Failure>?
    /// When the newest result came; nil before the first.
    public internal(set) var lastUpdatedAt: Timestamp?
    /// Whether the run goes on.
    public internal(set) var isLoading = true

    /// What tells the attempt from others.
    public var id: OperationTaskIdentifier { task.id }

    /// Where the attempt stands. Idle when it ended without a result of its own, because it was cancelled while another
    /// run went on for both.
    public var status: OperationStatus<Value, Failure> {
      isLoading ? .loading : currentResult.map { .result($0) } ?? .idle
    }
  }

  /// The state before anything happened, with `initialValue`, which is nil by default.
  public init(initialValue: Value? = nil) {
    outcome = OperationOutcome(initialValue: initialValue)
  }

  /// The newest value of the attempt that started last, or that was set; the initial value while there is none.
  public var currentValue: Value? { outcome.value }
  /// The value before anything happened, and after a reset.
  public var initialValue: Value? { outcome.initialValue }
  /// How often a value came that was shown.
  public var valueUpdateCount: Int { outcome.valueUpdateCount }
  /// When a value last came that was shown.
  public var valueLastUpdatedAt: Timestamp? { outcome.valueLastUpdatedAt }
  /// Whether the attempt that started last goes on.
  public var isLoading: Bool { history.last?.isLoading ?? false }
  /// The newest error, unless a value came after it.
  public var error: Failure? { outcome.error }
  /// How often an error came that was shown.
  public var errorUpdateCount: Int { outcome.errorUpdateCount }
  /// When an error last came that was shown.
  public var errorLastUpdatedAt: Timestamp? { outcome.errorLastUpdatedAt }
  /// Which of value and error came last.
  public var latestUpdate: OperationStateUpdate { outcome.latestUpdate }

  /// Whether the history is as long as the context's `operationMaxHistory` allows.
  public func dropsValues(scheduling task: OperationTask<Value, Failure>) -> Bool {
    task.context.operationMaxHistory.map { history.count >= max($0, 1) } ?? false
  }

  /// Adds an attempt with the arguments of the task's context, and drops the oldest ones beyond the context's
  /// `operationMaxHistory`, whose results are then ignored.
  public mutating func schedule(_ task: OperationTask<Value, Failure>, at time: Timestamp) {
    activeTasks.append(task)
    guard let arguments = task.context.mutationArguments(as: Arguments.self) else { return }
    history.append(Attempt(task: task, arguments: arguments, startedAt: time))
    if let limit = task.context.operationMaxHistory, history.count > max(limit, 1) {
      history.removeFirst(history.count - max(limit, 1))
    }
  }

  /// Goes back to the initial value, without a history, and forgets all runs, which are returned.
  public mutating func reset() -> [OperationTask<Value, Failure>] {
    outcome.reset()
    history = []
    return activeTasks.removeAll()
  }

  /// Takes over a value or an error that somebody set.
  public mutating func update(with result: Result<Value?, Failure>, at time: Timestamp) {
    outcome.update(with: result, at: time)
  }

  /// Takes over the result of an active run that the history knows.
  public mutating func update(
    with result: Result<Value, Failure>, for task: OperationTask<Value, Failure>, at time: Timestamp
  ) {
    guard isActive(task), let index = history.lastIndex(where: { $0.id == task.id }) else { return }
    history[index].currentResult = result
    history[index].lastUpdatedAt = time
    if index == history.indices.last { outcome.update(with: result.map { $0 }, at: time) }
  }

  /// Whether `task` is among the runs that go on.
  public func isActive(_ task: OperationTask<Value, Failure>) -> Bool { activeTasks.contains(task) }

  /// Notes that a run has ended.
  public mutating func finish(_ task: OperationTask<Value, Failure>) {
    activeTasks.remove(task)
    guard let index = history.lastIndex(where: { $0.id == task.id }) else { return }
    history[index].isLoading = false
  }

  /// The context with the arguments of the newest attempt, unless it has some already; nil without either.
  public func contextForRerun(_ context: OperationContext) -> OperationContext? {
    if context.mutationArguments(as: Arguments.self) != nil { return context }
    guard let latest = history.last else { return nil }
    var context = context
    context.setMutationArguments(latest.arguments)
    return context
  }
}

/// The state of operations that are run with arguments: of mutations, also with a default value.
public protocol MutationOperationState<Arguments>: OperationState {
  /// What differs from run to run.
  associatedtype Arguments: Sendable
}

extension MutationState: MutationOperationState {}
