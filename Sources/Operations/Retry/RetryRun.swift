/// One run of a request with its retries: the one retry core. After a failure it looks, in this order, at: the limit, cancellation, the
/// policy's decision, the deadline.
///
/// An object, and not the variables of one function: the frame of an asynchronous function has room for everything that it ever needs,
/// several times over, and lasts as long as it waits. So each step has a frame of its own, which goes with it, and whatever waits for its next
/// attempt, possibly thousands at a time and for long, has one reference in its frame. For the same reason the errors have no type here: room
/// for one that is not known would have to be made while the operation runs.
@usableFromInline
package final class RetryRun<Operation: OperationRequest> where Operation.Failure == any Error {
  private let operation: Operation
  private let continuation: OperationContinuation<Operation.Value, any Error>
  private var progress: RetryProgress
  private let early: (any Error)?
  private var hasMissedDeadline = false

  /// A run that begins now, or goes on after `early` where whoever calls has made the first attempt already.
  init(
    of operation: Operation, policy: RetryPolicy, limit: Int, after early: RetryEarlyFailure? = nil,
    in context: OperationContext, with continuation: OperationContinuation<Operation.Value, any Error>
  ) {
    self.operation = operation
    self.continuation = continuation
    self.early = early?.error
    progress = RetryProgress(policy: policy, limit: limit, context: context, start: early?.start)
  }

  /// The most retries there can be.
  package var limit: Int { progress.limit }
  private var policy: RetryPolicy { progress.policy }
  private var context: OperationContext { progress.context }

  /// Makes attempts until one succeeds or there is no point in another.
  @usableFromInline
  package func run(isolation: isolated (any Actor)?) async throws -> Operation.Value {
    var pause = try firstPause()
    while true {
      if let pause { try await pause.run(isolation: isolation) }
      try checkCancellation()
      do {
        if let deadline = progress.deadline { return try await attempt(isolation: isolation, until: deadline) }
        return try await operation.run(isolation: isolation, in: beginAttempt(), with: continuation)
      } catch {
        pause = try self.pause(after: error)
      }
    }
  }

  /// What a resumed retry still has to wait, or what follows the attempt that was made already.
  private func firstPause() throws -> RetryPause? {
    if let early {
      _ = beginAttempt()
      return try pause(after: early)
    }
    let isResumed = progress.state.attemptsUsed > 0
    let remaining = progress.takeRemainingDelay()
    if let deadline = progress.deadline, isResumed || remaining != nil,
      progress.elapsed + (remaining ?? .zero) >= deadline
    {
      context.retryObserver?.onGiveUp(.deadline)
      throw RetryDeadlineError(deadline: deadline)
    }
    return remaining.map { RetryPause(of: $0, wakers: policy.wakers, in: context) }
  }

  private func checkCancellation() throws {
    guard Task.isCancelled else { return }
    context.retryObserver?.onGiveUp(.cancelled)
    throw CancellationError()
  }

  /// - Returns: What the attempt finds.
  private func beginAttempt() -> OperationContext {
    var inner = context.forNestedOperation()
    inner.retryScope = progress.beginAttempt()
    context.retryObserver?.onAttempt(progress.state.attemptsUsed)
    return inner
  }

  private func attempt(isolation: isolated (any Actor)?, until deadline: Duration) async throws -> Operation.Value {
    let inner = beginAttempt()
    let value = try await TimeLimit.run(
      operation, isolation: isolation, in: inner, with: continuation, for: deadline - progress.elapsed,
      delayer: context.operationTimeLimitDelayer ?? context.operationDelayer)
    if let value { return value }
    hasMissedDeadline = true
    throw RetryDeadlineError(deadline: deadline)
  }

  /// Judges a failure.
  ///
  /// - Returns: What to wait before the next attempt.
  /// - Throws: What the run ends with where there is none.
  private func pause(after failure: any Error) throws -> RetryPause {
    let observer = context.retryObserver
    let verdict =
      hasMissedDeadline
      ? .giveUp(.deadline, throwing: failure) : progress.verdict(on: failure, cancelled: Task.isCancelled)
    switch verdict {
    case .giveUp(let reason, let error):
      observer?.onGiveUp(reason)
      throw error
    case .wait(let delay, let isHint, let wakers):
      observer?.onWait(progress.wait(after: failure, delay: delay))
      context.operationLogger.debug(
        "operation failed, will be tried again",
        metadata: ["attempt": "\(progress.state.attemptsUsed)", "delay": "\(delay)", "error": "\(failure)"])
      let all = isHint ? policy.wakers.filter(\.endsHintedWaits) : policy.wakers + wakers
      return RetryPause(of: delay, wakers: all, in: context)
    }
  }
}

/// A first attempt that was made before the retry core was needed.
struct RetryEarlyFailure {
  /// What it failed with.
  let error: any Error
  /// When it began, by the operation's monotonic clock.
  let start: Duration
}

/// A request that does not say any more what it throws.
@usableFromInline
struct WidenedOperation<Operation: OperationRequest>: OperationRequest {
  let operation: Operation

  @usableFromInline
  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) async throws -> Operation.Value {
    try await operation.run(
      isolation: isolation, in: context, with: continuation.narrowed(to: Operation.Failure.self))
  }
}
