/// Runs an operation with a time limit: the single implementation behind `.timeout` and a retry's deadline.
@usableFromInline
enum TimeLimit {
  private enum Event {
    case ended
    case expired
    case timerFailed(any Error)
  }

  /// Runs `operation` for at most `duration`.
  ///
  /// If the time runs out first, the operation is cancelled and awaited, and its outcome is ignored. If `duration` is
  /// zero or less, the operation is not started. A delayer that fails ends the operation in the same way, with the
  /// delayer's error.
  ///
  /// - Returns: The operation's value; nil if the time ran out first.
  @usableFromInline
  static func run<Operation: OperationRequest>(
    _ operation: Operation,
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>,
    for duration: Duration,
    delayer: any OperationDelayer
  ) async throws -> Operation.Value? {
    guard duration > .zero else { return nil }
    let slot = ChildTaskSlot<Operation.Value>()
    let first = await withTaskGroup(of: Event.self, isolation: isolation) { group in
      // Immediate tasks start on this thread, before the next line: the timer first, so that it includes what the
      // operation does before it first suspends.
      group.addImmediateTask { await sleep(isolation: isolation, for: duration, delayer: delayer) }
      group.addImmediateTask {
        await fill(slot, with: operation, isolation: isolation, in: context, with: continuation)
        return .ended
      }
      var first = await group.next() ?? .ended
      if case .timerFailed(let error) = first, error is CancellationError, Task.isCancelled {
        // The whole task was cancelled rather than the timer, and the operation knows it too: its own outcome applies.
        first = await group.next() ?? .ended
      }
      group.cancelAll()
      return first
    }
    switch first {
    case .ended: return try slot.result?.get()
    case .expired: return nil
    case .timerFailed(let error): throw error
    }
  }

  private static func sleep(
    isolation: isolated (any Actor)?, for duration: Duration, delayer: any OperationDelayer
  ) async -> Event {
    do {
      try await delayer.delay(for: duration)
      return .expired
    } catch {
      return .timerFailed(error)
    }
  }

  private static func fill<Operation: OperationRequest>(
    _ slot: ChildTaskSlot<Operation.Value>,
    with operation: Operation,
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>
  ) async {
    do {
      slot.result = .success(try await operation.run(isolation: isolation, in: context, with: continuation))
    } catch {
      slot.result = .failure(error)
    }
  }
}
