extension OperationStore {
  typealias Run = OperationStoreRun<State>

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
  public nonisolated(nonsending) func run(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(State.Failure) -> State.OperationValue {
    let run = newRun(using: context)
    guard let handler else { return try await run.outcome().get() }
    let id = change { handlers.insert(handler) }
    let outcome = await run.outcome()
    // In its turn among the events, so that the handler hears of the end of its run wherever it is told from.
    change { events.append(.removal(id)) }
    return try outcome.get()
  }

  /// The task of a run that has not started. Nothing happens until it is.
  ///
  /// The operation finds `context` in this run, or the store's ``context`` by default, whose
  /// `operationTaskConfiguration` configures the task.
  public func runTask(using context: OperationContext? = nil) -> OperationTask<State.OperationValue, State.Failure> {
    newRun(using: context).task
  }

  func newRun(using context: OperationContext?) -> Run {
    Run(store: self, context: contextForRun(context))
  }

  // MARK: - Begin

  func begin(_ run: Run, immediately isImmediate: Bool) {
    let time = run.context.operationClock.now()
    let deduplication = context.operationDeduplication
    let isCancelled = run.isCancelled
    let isLeader = change {
      guardedState.schedule(run.task, at: time)
      noteStart(of: run)
      // Almost always there is nobody to join, which needs no second look.
      guard deduplication == nil || leaders.isEmpty else { return false }
      lead(run, isCancelled: isCancelled, isShared: deduplication != nil)
      return true
    }
    if let deduplication, !isLeader, join(run, by: deduplication, isCancelled: isCancelled) {
      // Nothing to execute.
    } else {
      execute(run, immediately: isImmediate)
    }
    // A cancellation that came before the run was registered found nothing to cancel.
    if run.isCancelled { cancel(run) }
  }

  /// Under the lock: makes `run` one that executes itself.
  private func lead(_ run: Run, isCancelled: Bool, isShared: Bool) {
    run.isRegistered = true
    run.isAbandoned = isCancelled
    if isShared, !isCancelled { leaders.append(run) }
  }

  /// Makes `run` a follower of a run that it duplicates, or else a leader.
  private func join(_ run: Run, by deduplication: OperationDeduplication, isCancelled: Bool) -> Bool {
    while true {
      let leaders = look { self.leaders }
      // The predicate is the user's, so that it is asked under no lock; what has changed meanwhile makes it be asked
      // again.
      let duplicated = (0..<leaders.count).lazy.map { Run.run(leaders[$0]) }.first {
        deduplication.isDuplicate(run.context, of: $0.context)
      }
      let joined: Bool? = change {
        guard self.leaders.isSame(as: leaders) else { return nil }
        if let duplicated {
          run.leader = duplicated
          duplicated.followers.append(run)
          run.isRegistered = true
        } else {
          lead(run, isCancelled: isCancelled, isShared: true)
        }
        return duplicated != nil
      }
      if let joined { return joined }
    }
  }

  // MARK: - Execution

  private func execute(_ leader: Run, immediately isImmediate: Bool) {
    let execution: Task<Void, Never>
    if let configuration = leader.configuration {
      execution = configuration.start(immediately: isImmediate) { [self] in await execute(leader) }
    } else if isImmediate {
      execution = Task.immediate { [self] in await execute(leader) }
    } else {
      execution = Task { [self] in await execute(leader) }
    }
    let isAbandoned = look {
      guard !leader.hasExecuted else { return false }
      leader.execution = execution
      return leader.isAbandoned
    }
    if isAbandoned { execution.cancel() }
  }

  private func execute(_ leader: Run) async {
    if look({ leader.isAbandoned }) { withUnsafeCurrentTask { $0?.cancel() } }
    if leader.hasDependencies { await leader.awaitDependencies() }
    let continuation = OperationContinuation<State.OperationValue, State.Failure> { result, context in
      leader.store.take(result, of: leader, using: context ?? leader.context)
    }
    do throws(State.Failure) {
      let value = try await Self.run(operation, in: leader.context, with: continuation)
      end(execution: leader, with: .success(value))
    } catch {
      end(execution: leader, with: .failure(error))
    }
  }

  private static func run<Operation: StatefulOperationRequest>(
    _ operation: Operation, in context: OperationContext,
    with continuation: OperationContinuation<State.OperationValue, State.Failure>
  ) async throws(State.Failure) -> State.OperationValue where Operation.State == State {
    try await operation.run(isolation: nil, in: context, with: continuation)
  }

  private func take(
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

  private func end(execution leader: Run, with result: Result<State.OperationValue, State.Failure>) {
    let time = leader.context.operationClock.now()
    var followers = ObjectList()
    var isWanted = false
    let old = change {
      let old = guardedState
      leader.hasExecuted = true
      leader.execution = nil
      leaders.remove(leader)
      swap(&followers, &leader.followers)
      isWanted = !leader.hasLeft
      if isWanted { noteEnd(of: leader, with: result, at: time, isFinal: true) }
      return old
    }
    _ = old
    if isWanted { leader.finish(result) }
    for index in 0..<followers.count {
      let follower = Run.run(followers[index])
      if look({ !follower.hasLeft }) { end(follower, with: result, isFinal: true) }
    }
  }

  private func end(_ run: Run, with result: Result<State.OperationValue, State.Failure>, isFinal: Bool) {
    let time = run.context.operationClock.now()
    let old = change {
      let old = guardedState
      noteEnd(of: run, with: result, at: time, isFinal: isFinal)
      return old
    }
    _ = old
    run.finish(result)
  }

  /// Under the lock: brings the end of `run` into the state.
  private func noteEnd(
    of run: Run, with result: Result<State.OperationValue, State.Failure>, at time: Timestamp, isFinal: Bool
  ) {
    // Looked at here too, because the call alone takes longer than all else when nobody listens.
    if !handlers.isEmpty { noteResult(result, .returnedFinalResult, run.context) }
    if subscribersRun === run { subscribersRun = nil }
    let task = run.task
    guard guardedState.isActive(task) else { return }
    if isFinal { guardedState.update(with: result, for: task, at: time) }
    guardedState.finish(task)
    noteState(run.context)
  }

  /// `run` does not want its result any more. The operation goes on if another member wants it, and is cancelled
  /// otherwise.
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
