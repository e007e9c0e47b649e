/// A piece of work that is described now and runs when asked: once, for everybody who asks.
///
/// A task starts with the first ``runIfNeeded()``. Later calls wait for the same run, or get its result at once. Copies
/// of a task are the same task.
///
/// Cancellation: ``cancel()`` cancels the run for all. When a Swift task that waits in ``runIfNeeded()`` is cancelled,
/// only that one stops waiting, with `CancellationError` where `Failure` admits it (and otherwise gets the result of the
/// others); the last one that waits takes the run with it.
public struct OperationTask<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let core: OperationTaskCore<Value, Failure>

  @inlinable
  init(core: OperationTaskCore<Value, Failure>) {
    self.core = core
  }

  /// A task that runs `work`, on the global executor or where `configuration` says.
  ///
  /// - Parameters:
  ///   - context: What `work` is given. Its `operationTaskConfiguration` configures the task.
  ///   - work: What to do. When it runs, the tasks that this one was scheduled after have ended.
  public init(
    context: OperationContext = OperationContext(),
    work: @escaping @Sendable (OperationContext) async throws(Failure) -> Value
  ) {
    core = ClosureTaskCore(context: context, work: work)
  }

  /// What tells the task from others.
  public var id: OperationTaskIdentifier { core.id }

  /// What the task was made with.
  public var context: OperationContext { core.context }

  /// How the runtime shall treat the task; counts when it is set before the start.
  public var configuration: OperationTaskConfiguration {
    get { core.configuration ?? OperationTaskConfiguration() }
    nonmutating set { core.configuration = newValue }
  }

  /// Starts the task unless it has started, and returns its result when it has ended.
  @discardableResult
  public nonisolated(nonsending) func runIfNeeded() async throws(Failure) -> Value {
    try await core.outcome().get()
  }

  /// Starts the task unless it has started, and returns at once. It then runs on even when nobody waits for it.
  public func start() {
    core.start()
  }

  /// Cancels the run for all who wait for it.
  ///
  /// A task that has not started starts as a cancelled one later, so that the work decides what becomes of it. A task
  /// that has ended stays as it is.
  public func cancel() {
    core.cancel()
  }

  /// Whether the task was started.
  public var hasStarted: Bool { core.hasStarted }
  /// Whether the task was started and has not ended.
  public var isRunning: Bool { core.hasStarted && !core.isFinished }
  /// Whether the task has ended.
  public var isFinished: Bool { core.isFinished }
  /// Whether ``cancel()`` came before the end.
  public var isCancelled: Bool { core.isCancelled }
  /// How the task ended; nil before.
  public var finishedResult: Result<Value, Failure>? { core.finishedResult }

  /// Makes the task wait for `other` before it runs. `other` is started when this task starts, side by side with what
  /// else this task waits for, and how it ends does not matter.
  ///
  /// When this task is cancelled while it waits, it lets go of `other` as any caller of ``runIfNeeded()`` does; `other`
  /// goes on as long as there is another task that was scheduled after it and has not begun. A task that begins as a
  /// cancelled one starts no others.
  ///
  /// - Throws: ``OperationTaskScheduleError`` when this task has started already, or when `other` waits for this task,
  ///   directly or through others, or is made of it. Nothing has changed then.
  public func schedule<OtherValue: Sendable, OtherFailure: Error>(
    after other: OperationTask<OtherValue, OtherFailure>
  ) throws(OperationTaskScheduleError) {
    try core.add(dependency: other.core)
  }

  /// Makes the task wait for all of `others`. See ``schedule(after:)-(OperationTask<OtherValue,OtherFailure>)``.
  public func schedule<OtherValue: Sendable, OtherFailure: Error>(
    after others: some Sequence<OperationTask<OtherValue, OtherFailure>>
  ) throws(OperationTaskScheduleError) {
    for other in others { try schedule(after: other) }
  }

  /// A task that runs this one and changes its value.
  public func map<New: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(Failure) -> New
  ) -> OperationTask<New, Failure> {
    let mapped = OperationTask<New, Failure>(context: context) { [self] _ throws(Failure) in
      try transform(try await runIfNeeded())
    }
    mapped.core.link(base: core)
    return mapped
  }

  /// A task that runs this one and changes its error.
  public func mapError<New: Error>(
    _ transform: @escaping @Sendable (Failure) -> New
  ) -> OperationTask<Value, New> {
    let mapped = OperationTask<Value, New>(context: context) { [self] _ throws(New) in
      try await core.outcome().mapError(transform).get()
    }
    mapped.core.link(base: core)
    return mapped
  }
}

extension OperationTask: Hashable, Identifiable {
  /// Whether both are the same task.
  public static func == (left: OperationTask, right: OperationTask) -> Bool { left.core === right.core }

  /// Feeds the identity into `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A task cannot be made to wait for another.
public enum OperationTaskScheduleError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The two tasks would wait for each other.
  case dependencyCycle(OperationTaskIdentifier, after: OperationTaskIdentifier)
  /// The task has started.
  case alreadyStarted(OperationTaskIdentifier)

  /// The failure, for people.
  public var description: String {
    switch self {
    case .dependencyCycle(let task, let other):
      "task \(task) cannot wait for task \(other), which waits for it"
    case .alreadyStarted(let task):
      "task \(task) has started and cannot wait for another any more"
    }
  }
}
