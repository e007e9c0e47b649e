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
  public func run(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(State.Failure) -> State.OperationValue {
    try await outcome(of: newRun(using: context), handler: handler).get()
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

  func outcome(
    of run: Run, handler: OperationEventHandler<State>?
  ) async -> Result<State.OperationValue, State.Failure> {
    guard let handler else { return await run.outcome() }
    let id = change { $0.handlers.insert(handler) }
    let outcome = await run.outcome()
    // In its turn among the events, so that the handler hears of the end of its run wherever it is told from.
    change { $0.events.append(.removal(id)) }
    return outcome
  }

  func begin(_ run: Run, immediately isImmediate: Bool) {
    let time = run.context.operationClock.now()
    change { $0.start(run, at: time) }
    if !join(run) {
      let execution = run.configuration.start(immediately: isImmediate) { [self] in await execute(run) }
      let isAbandoned = change { _ in
        guard !run.hasExecuted else { return false }
        run.execution = execution
        return run.isAbandoned
      }
      if isAbandoned { execution.cancel() }
    }
    // A cancellation that came before the run was registered found nothing to cancel.
    if run.isCancelled { cancel(run) }
  }

  /// Makes `run` a follower of a run that it duplicates, or else a leader.
  private func join(_ run: Run) -> Bool {
    guard let deduplication = context.operationDeduplication else {
      change { _ in
        run.isRegistered = true
        run.isAbandoned = run.isCancelled
      }
      return false
    }
    while true {
      let leaders = change { $0.leaders }
      let duplicated = leaders.first { deduplication.isDuplicate(run.context, of: $0.context) }
      let joined: Bool? = change { core in
        if let duplicated {
          // It may have ended meanwhile.
          guard core.leaders.contains(where: { $0 === duplicated }) else { return nil }
          run.leader = duplicated
          duplicated.followers.append(run)
        } else {
          // Another may have become a leader meanwhile.
          guard core.leaders.elementsEqual(leaders, by: ===) else { return nil }
          run.isAbandoned = run.isCancelled
          if !run.isAbandoned { core.leaders.append(run) }
        }
        run.isRegistered = true
        return duplicated != nil
      }
      if let joined { return joined }
    }
  }

  private func execute(_ leader: Run) async {
    if change({ _ in leader.isAbandoned }) { withUnsafeCurrentTask { $0?.cancel() } }
    await leader.awaitDependencies()
    let continuation = OperationContinuation<State.OperationValue, State.Failure> { [self] result, context in
      take(result, of: leader, using: context ?? leader.context)
    }
    let result: Result<State.OperationValue, State.Failure>
    do throws(State.Failure) {
      result = .success(try await Self.run(operation, in: leader.context, with: continuation))
    } catch {
      result = .failure(error)
    }
    let members = change { core in
      leader.hasExecuted = true
      leader.execution = nil
      core.close(leader)
      defer { leader.followers = [] }
      return leader.members.filter { !$0.hasLeft }
    }
    for member in members { end(member, with: result, isFinal: true) }
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
    let isLate = change { core in
      guard !leader.hasExecuted else { return true }
      core.take(result, of: leader, using: context, at: time)
      return false
    }
    if isLate { context.warn(.yieldAfterEnd(path)) }
  }

  private func end(_ run: Run, with result: Result<State.OperationValue, State.Failure>, isFinal: Bool) {
    let time = run.context.operationClock.now()
    change { $0.end(run, with: result, at: time, isFinal: isFinal) }
    run.finish(result)
  }

  /// `run` does not want its result any more. The operation goes on if another member wants it, and is cancelled
  /// otherwise.
  func cancel(_ run: Run) {
    let admitted = CancellationError() as? State.Failure
    let (leaves, execution): (Bool, Task<Void, Never>?) = change { core in
      let leader = run.leader ?? run
      guard run.isRegistered, !run.hasLeft, !leader.hasExecuted else { return (false, nil) }
      guard leader.members.contains(where: { $0 !== run && !$0.hasLeft && !$0.isCancelled }) else {
        core.close(leader)
        leader.isAbandoned = true
        return (false, leader.execution)
      }
      // A failure that cannot be a cancellation makes the run wait with the others.
      run.hasLeft = admitted != nil
      return (run.hasLeft, nil)
    }
    execution?.cancel()
    if leaves, let admitted { end(run, with: .failure(admitted), isFinal: false) }
  }
}
