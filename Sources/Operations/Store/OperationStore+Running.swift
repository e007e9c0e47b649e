extension OperationStore {
  // What each run passes through is inlinable, so that it is compiled where the type of the state is known: looking types
  // up at run time took more than half of a run. What only some runs need is not.

  @usableFromInline typealias Run = OperationStoreRun<State>

  /// Runs the operation and returns its result.
  ///
  /// The run changes ``state`` as it goes on. When the calling task is cancelled, the run is cancelled, unless others
  /// wait for it too.
  ///
  /// - Parameters:
  ///   - context: What the operation finds in this run; the store's ``context`` by default.
  ///   - handler: Is told of the store's events while the run lasts. Does not count as a subscriber.
  /// - Returns: What the operation returned.
  /// - Throws: What the operation threw; `CancellationError`, where `Failure` admits it, when this run was cancelled and
  ///   the operation goes on for others.
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
    // In its turn among the events, so that the handler hears of the end of its run wherever it is told from.
    change { note(.removal(id)) }
    return outcome
  }

  /// The task of a run that has not started. Nothing happens until it is.
  ///
  /// The operation finds `context` in this run, or the store's ``context`` by default, whose
  /// `operationTaskConfiguration` configures the task.
  public func runTask(using context: OperationContext? = nil) -> OperationTask<State.OperationValue, State.Failure> {
    newRun(using: context).task
  }

  @inlinable
  func newRun(using context: OperationContext?) -> Run {
    Run(store: self, context: contextForRun(context))
  }

  // MARK: - Begin

  @inlinable
  func begin(_ run: Run, immediately isImmediate: Bool) {
    let time = run.context.operationClock.now()
    let isCancelled = run.isCancelled
    // What the state drops is released after the lock, because that may run user code.
    var old: State?
    let (deduplication, isLeader) = change {
      let deduplication = guardedContext.operationDeduplication
      // Almost always there is nobody to join, which needs no second look.
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
    // A cancellation that came before the run was registered found nothing to cancel.
    if run.isCancelled { cancel(run) }
  }

  /// Under the lock: takes `run` into the state.
  ///
  /// - Returns: The state before, where that held something that is dropped now, to be released under no lock.
  @inlinable
  func register(_ run: Run, at time: Timestamp) -> State? {
    let task = run.task
    let old = guardedState.dropsValues(scheduling: task) ? guardedState : nil
    guardedState.schedule(task, at: time)
    if hasHandlers { noteStart(of: run) }
    return old
  }

  /// Under the lock: makes `run` one that executes itself.
  @usableFromInline
  func lead(_ run: Run, isCancelled: Bool, isShared: Bool) {
    run.isRegistered = true
    run.isAbandoned = isCancelled
    if isShared, !isCancelled { leaders.append(run) }
  }

  /// Makes `run` a follower of a run that it duplicates, or else a leader.
  ///
  /// The state has it from that moment on and not before: whoever sees two runs, and cancels one, must not find the other beside the execution
  /// that it is about to join.
  @usableFromInline
  func join(_ run: Run, by deduplication: OperationDeduplication, at time: Timestamp, isCancelled: Bool) -> Bool {
    while true {
      let leaders = look { self.leaders }
      // The predicate is the user's, so that it is asked under no lock; what has changed meanwhile makes it be asked
      // again.
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

  /// A task that executes `leader`, as its configuration says.
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
    // A leader that leaves goes on executing, and needs the store for what the operation yields.
    if isFollower { run.releaseStore() }
    run.finish(result)
  }

  /// Under the lock: brings the end of `run` into the state.
  ///
  /// - Returns: The state before, to be released under no lock.
  @inlinable
  func noteEnd(
    of run: Run, with result: Result<State.OperationValue, State.Failure>, at time: Timestamp, isFinal: Bool
  ) -> State {
    let old = guardedState
    // Looked at here too, because the call alone takes longer than all else when nobody listens.
    if hasHandlers { noteResult(result, .returnedFinalResult, run.context) }
    if !subscribersRuns.isEmpty { subscribersRuns.remove(run) }
    let task = run.task
    guard old.isActive(task) else { return old }
    if isFinal { guardedState.update(with: result, for: task, at: time) }
    guardedState.finish(task)
    if hasHandlers { noteState(run.context) }
    return old
  }

  /// `run` does not want its result any more. The operation goes on if another member wants it, and is cancelled
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
      // A failure that cannot be a cancellation makes the run wait with the others.
      run.hasLeft = admitsCancellation
      return (admitsCancellation, nil)
    }
    execution?.cancel()
    if leaves, let error = CancellationError() as? State.Failure { end(run, with: .failure(error), isFinal: false) }
  }
}
