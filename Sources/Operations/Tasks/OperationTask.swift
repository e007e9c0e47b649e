/// A unit of work that is described now and runs on demand, once for all callers.
///
/// A task starts with the first ``runIfNeeded()``. Later calls wait for the same run, or get its result immediately.
/// Copies of a task are the same task.
///
/// Cancellation: ``cancel()`` cancels the run for all callers. If a Swift task waiting in ``runIfNeeded()`` is
/// cancelled, only that one stops waiting, with `CancellationError` if `Failure` allows it (otherwise it gets the
/// result with the others); when the last waiting one is cancelled, so is the run.
public struct OperationTask<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let core: OperationTaskCore<Value, Failure>

  @inlinable
  init(core: OperationTaskCore<Value, Failure>) {
    self.core = core
  }

  /// Creates a task that runs `work`, on the global executor or the one in `configuration`.
  ///
  /// - Parameters:
  ///   - context: The context passed to `work`. Its `operationTaskConfiguration` configures the task.
  ///   - work: The work. It starts after the tasks that this one was scheduled after have ended.
  public init(
    context: OperationContext = OperationContext(),
    work: @escaping @Sendable (OperationContext) async throws(Failure) -> Value
  ) {
    core = ClosureTaskCore(context: context, work: work)
  }

  /// The identity of the task.
  public var id: OperationTaskIdentifier { core.id }

  /// The context with which the task was created.
  public var context: OperationContext { core.context }

  /// How the runtime treats the task; must be set before the start to have an effect.
  public var configuration: OperationTaskConfiguration {
    get { core.configuration ?? OperationTaskConfiguration() }
    nonmutating set { core.configuration = newValue }
  }

  /// Starts the task unless it has started, and returns its result once it has ended.
  @discardableResult
  public nonisolated(nonsending) func runIfNeeded() async throws(Failure) -> Value {
    try await core.outcome().get()
  }

  /// Starts the task unless it has started, and returns immediately. It then keeps running even if no caller waits for it.
  public func start() {
    core.start()
  }

  /// Cancels the run for all callers waiting for it.
  ///
  /// A task that has not started will start cancelled, so that the work decides on the outcome. A task that has ended
  /// stays unchanged.
  public func cancel() {
    core.cancel()
  }

  /// Whether the task has started.
  public var hasStarted: Bool { core.hasStarted }
  /// Whether the task has started and not ended.
  public var isRunning: Bool { core.hasStarted && !core.isFinished }
  /// Whether the task has ended.
  public var isFinished: Bool { core.isFinished }
  /// Whether ``cancel()`` was called before the end.
  public var isCancelled: Bool { core.isCancelled }
  /// The outcome of the task; nil before the end.
  public var finishedResult: Result<Value, Failure>? { core.finishedResult }

  /// Makes the task wait for `other` before it runs. `other` is started when this task starts, in parallel with its
  /// other dependencies, and its outcome does not matter.
  ///
  /// If this task is cancelled while it waits, it stops waiting for `other` like any caller of ``runIfNeeded()``;
  /// `other` continues as long as another task was scheduled after it and has not started. A task that starts cancelled
  /// starts no dependencies.
  ///
  /// - Throws: ``OperationTaskScheduleError`` if this task has already started, or if `other` waits for this task,
  ///   directly or through others, or is derived from it. Nothing has changed then.
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

  /// Returns a task that runs this one and transforms its value.
  public func map<New: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(Failure) -> New
  ) -> OperationTask<New, Failure> {
    let mapped = OperationTask<New, Failure>(context: context) { [self] _ throws(Failure) in
      try transform(try await runIfNeeded())
    }
    mapped.core.link(base: core)
    return mapped
  }

  /// Returns a task that runs this one and transforms its error.
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
  /// Returns whether both are the same task.
  public static func == (left: OperationTask, right: OperationTask) -> Bool { left.core === right.core }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The reason why a task cannot be made to wait for another.
public enum OperationTaskScheduleError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The two tasks would wait for each other.
  case dependencyCycle(OperationTaskIdentifier, after: OperationTaskIdentifier)
  /// The task has started.
  case alreadyStarted(OperationTaskIdentifier)

  /// A description for people.
  public var description: String {
    switch self {
    case .dependencyCycle(let task, let other):
      "task \(task) cannot wait for task \(other), which waits for it"
    case .alreadyStarted(let task):
      "task \(task) has started and can no longer wait for another"
    }
  }
}
