extension OperationStore {
  // The code that every run executes is inlinable, so that it is compiled where the state type is known: looking up
  // types at run time took more than half the time of a run. Code that only some runs need is not.

  @usableFromInline typealias Run = OperationStoreRun<State>

  /// Runs the operation and returns its result.
  ///
  /// The run updates ``state`` as it progresses. If the calling task is cancelled, the run is cancelled, unless others
  /// are waiting for it too.
  ///
  /// - Parameters:
  ///   - context: The context of this run; the store's ``context`` by default.
  ///   - handler: Receives the store's events while the run lasts. Does not count as a subscriber.
  /// - Returns: The result of the operation.
  /// - Throws: The error of the operation; `CancellationError`, if `Failure` allows it, if this run was cancelled while
  ///   the operation continues for others.
  @discardableResult
  @inlinable
  public nonisolated(nonsending) func run(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(State.Failure) -> State.OperationValue {
    let run = newRun(using: context)
    guard let handler else { return try await run.outcomeFromStart().get() }
    return try await outcome(of: run, telling: handler).get()
  }

  @usableFromInline
  nonisolated(nonsending) func outcome(of run: Run, telling handler: OperationEventHandler<State>) async -> Run.Outcome
  {
    let id = change { insert(handler) }
    let outcome = await run.outcome()
    // Queued behind the other events, so that the handler receives the end of its run regardless of which thread delivers it.
    change { note(.removal(id)) }
    return outcome
  }

  /// Returns the task of a run, not yet started. Nothing happens until it is.
  ///
  /// The context of the run is `context`, or by default the store's ``context``; its `operationTaskConfiguration`
  /// configures the task.
  public func runTask(using context: OperationContext? = nil) -> OperationTask<State.OperationValue, State.Failure> {
    newRun(using: context).task
  }

  @inlinable
  func newRun(using context: OperationContext?) -> Run {
    Run(store: self, context: contextForRun(context))
  }

  // MARK: - Start

  @inlinable
  func begin(_ run: Run, immediately isImmediate: Bool) {
    let time = run.context.operationClock.now()
    let isCancelled = run.isCancelled
    // Values dropped by the state are released after the lock, because that may run user code.
    var old: State?
    let (deduplication, isLeader) = change {
      let deduplication = guardedContext.operationDeduplication
      // Usually there is no run to join, so that no second check is needed.
      guard deduplication == nil || leaders.isEmpty else { return (deduplication, false) }
      old = register(run, at: time)
      lead(run, isCancelled: isCancelled, isShared: deduplication != nil)
      return (deduplication, true)
    }
    _ = old
    if let deduplication, !isLeader, join(run, by: deduplication, at: time, isCancelled: isCancelled) {
      // Nothing to execute.
    } else {
      execute(run, immediately: isImmediate)
    }
    // A cancellation from before the run was registered found nothing to cancel.
    if run.isCancelled { cancel(run) }
  }

  /// Adds `run` to the state; the lock must be held.
  ///
  /// - Returns: The previous state if it held something that is dropped now, to be released without the lock held.
  @inlinable
  func register(_ run: Run, at time: Timestamp) -> State? {
    let task = run.task
    let old = guardedState.dropsValues(scheduling: task) ? guardedState : nil
    guardedState.schedule(task, at: time)
    if hasHandlers { noteStart(of: run) }
    return old
  }

  /// Makes `run` one that executes itself; the lock must be held.
  @usableFromInline
  func lead(_ run: Run, isCancelled: Bool, isShared: Bool) {
    run.isRegistered = true
    run.isAbandoned = isCancelled
    if isShared, !isCancelled { leaders.append(run) }
  }

  /// Makes `run` a follower of a run that it duplicates, otherwise a leader.
  ///
  /// The run is added to the state at the same moment and not before: a caller that sees two runs and cancels one must
  /// not find that the other has not yet joined the execution.
  @usableFromInline
  func join(_ run: Run, by deduplication: OperationDeduplication, at time: Timestamp, isCancelled: Bool) -> Bool {
    while true {
      let leaders = look { self.leaders }
      // The predicate is user code, so it is called without the lock held, and called again if anything has changed
      // meanwhile.
      let duplicated = (0..<leaders.count).lazy.map { Run.run(leaders[$0]) }.first {
        deduplication.isDuplicate(run.context, of: $0.context)
      }
      var old: State?
      let joined: Bool? = change {
        guard self.leaders.isSame(as: leaders) else { return nil }
        old = register(run, at: time)
        if let duplicated {
          run.leader = duplicated
          duplicated.followers.append(run)
          run.isRegistered = true
        } else {
          lead(run, isCancelled: isCancelled, isShared: true)
        }
        return duplicated != nil
      }
      _ = old
      if let joined { return joined }
    }
  }

  // MARK: - Execution

  @inlinable
  func execute(_ leader: Run, immediately isImmediate: Bool) {
    let execution: Task<Void, Never>
    if isImmediate, !leader.isConfigured {
      execution = Task.immediate { [self] in await execute(leader) }
    } else {
      execution = start(leader, immediately: isImmediate)
    }
    let isAbandoned = look {
      guard !leader.hasExecuted else { return false }
      leader.execution = execution
      return leader.isAbandoned
    }
    if isAbandoned { execution.cancel() }
  }

  /// Returns a task that executes `leader`, as specified by its configuration.
  @usableFromInline
  func start(_ leader: Run, immediately isImmediate: Bool) -> Task<Void, Never> {
    guard let configuration = leader.configuration else { return Task { [self] in await execute(leader) } }
    return configuration.start(immediately: isImmediate) { [self] in await execute(leader) }
  }

  @inlinable
  nonisolated(nonsending) func execute(_ leader: Run) async {
    if look({ leader.isAbandoned }) { withUnsafeCurrentTask { $0?.cancel() } }
    if leader.hasDependencies { await leader.awaitDependencies() }
    let continuation = OperationContinuation<State.OperationValue, State.Failure> { [path] result, context in
      let context = context ?? leader.context
      if let store = leader.store {
        store.take(result, of: leader, using: context)
      } else {
        context.warn(.yieldAfterEnd(path))
      }
    }
    do throws(State.Failure) {
      let value = try await Self.run(operation, in: leader.context, with: continuation)
      end(execution: leader, with: .success(value))
    } catch {
      end(execution: leader, with: .failure(error))
    }
  }

  @inlinable
  nonisolated(nonsending) static func run<Operation: StatefulOperationRequest>(
    _ operation: Operation, in context: OperationContext,
    with continuation: OperationContinuation<State.OperationValue, State.Failure>
  ) async throws(State.Failure) -> State.OperationValue where Operation.State == State {
    try await operation.run(isolation: nil, in: context, with: continuation)
  }

  @usableFromInline
  func take(
    _ result: Result<State.OperationValue, State.Failure>, of leader: Run, using context: OperationContext
  ) {
    let time = context.operationClock.now()
    let old: State? = change {
      guard !leader.hasExecuted else { return nil }
      let old = guardedState
      noteResult(result, .yieldedResult, context)
      if let member = leader.members.first(where: { guardedState.isActive($0.task) }) {
        guardedState.update(with: result, for: member.task, at: time)
        noteState(context)
      }
      return old
    }
    if old == nil { context.warn(.yieldAfterEnd(path)) }
  }

  // MARK: - End

  @inlinable
  func end(execution leader: Run, with result: Result<State.OperationValue, State.Failure>) {
    let time = leader.context.operationClock.now()
    var followers = OperationTaskNodeList()
    var isWanted = false
    let old: State? = change {
      leader.hasExecuted = true
      leader.execution = nil
      leaders.remove(leader)
      swap(&followers, &leader.followers)
      isWanted = !leader.hasLeft
      return isWanted ? noteEnd(of: leader, with: result, at: time, isFinal: true) : nil
    }
    _ = old
    leader.releaseStore()
    if isWanted { leader.finish(result) }
    for index in 0..<followers.count {
      let follower = Run.run(followers[index])
      if look({ !follower.hasLeft }) { end(follower, with: result, isFinal: true) }
    }
  }

  @usableFromInline
  func end(_ run: Run, with result: Result<State.OperationValue, State.Failure>, isFinal: Bool) {
    let time = run.context.operationClock.now()
    let (old, isFollower) = change {
      (noteEnd(of: run, with: result, at: time, isFinal: isFinal), run.leader != nil)
    }
    _ = old
    // A leader that leaves keeps executing, and needs the store for the results that the operation yields.
    if isFollower { run.releaseStore() }
    run.finish(result)
  }

  /// Applies the end of `run` to the state; the lock must be held.
  ///
  /// - Returns: The previous state, to be released without the lock held.
  @inlinable
  func noteEnd(
    of run: Run, with result: Result<State.OperationValue, State.Failure>, at time: Timestamp, isFinal: Bool
  ) -> State {
    let old = guardedState
    // Checked here too, because the call alone takes longer than everything else if there are no handlers.
    if hasHandlers { noteResult(result, .returnedFinalResult, run.context) }
    if !subscribersRuns.isEmpty { subscribersRuns.remove(run) }
    let task = run.task
    guard old.isActive(task) else { return old }
    if isFinal { guardedState.update(with: result, for: task, at: time) }
    guardedState.finish(task)
    if hasHandlers { noteState(run.context) }
    return old
  }

  /// Withdraws `run` from its execution. The operation continues if another member needs it, and is cancelled
  /// otherwise.
  @usableFromInline
  func cancel(_ run: Run) {
    let admitsCancellation = run.admitsCancellation
    let (leaves, execution): (Bool, Task<Void, Never>?) = change {
      let leader = run.leader ?? run
      guard run.isRegistered, !run.hasLeft, !leader.hasExecuted else { return (false, nil) }
      guard leader.members.contains(where: { $0 !== run && !$0.hasLeft && !$0.isCancelled }) else {
        leaders.remove(leader)
        leader.isAbandoned = true
        return (false, leader.execution)
      }
      // If the failure cannot be a cancellation, the run waits with the others.
      run.hasLeft = admitsCancellation
      return (admitsCancellation, nil)
    }
    execution?.cancel()
    if leaves, let error = CancellationError() as? State.Failure { end(run, with: .failure(error), isFinal: false) }
  }
}
