/// One run of a request with its retries: the single retry core. After a failure it checks, in this order: the limit, cancellation, the
/// policy's decision, and the deadline.
///
/// This is a class rather than variables of one function: the frame of an asynchronous function reserves space for everything it ever
/// needs, several times over, for as long as it waits. Each step therefore has a frame of its own, which is released with it, and a run
/// that waits for its next attempt, possibly one of thousands and for long, has only one reference in its frame. For the same reason the
/// errors are untyped: space for an error of unknown type would have to be reserved while the operation runs.
@usableFromInline
package final class RetryRun<Operation: OperationRequest> where Operation.Failure == any Error {
  private let operation: Operation
  private let continuation: OperationContinuation<Operation.Value, any Error>
  private var progress: RetryProgress
  private let early: (any Error)?
  private var hasMissedDeadline = false

  /// Creates a run that starts now, or continues after `early` if the caller has already made the first attempt.
  init(
    of operation: Operation, policy: RetryPolicy, limit: Int, after early: RetryEarlyFailure? = nil,
    in context: OperationContext, with continuation: OperationContinuation<Operation.Value, any Error>
  ) {
    self.operation = operation
    self.continuation = continuation
    self.early = early?.error
    progress = RetryProgress(policy: policy, limit: limit, context: context, start: early?.start)
  }

  /// The maximum number of retries.
  package var limit: Int { progress.limit }
  private var policy: RetryPolicy { progress.policy }
  private var context: OperationContext { progress.context }

  /// Makes attempts until one succeeds or no further attempt is allowed.
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

  /// Returns the remaining wait of a resumed retry, or the wait after an attempt that was already made.
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

  /// - Returns: The context of the attempt.
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

  /// Decides about a failure.
  ///
  /// - Returns: The wait before the next attempt.
  /// - Throws: The error with which the run ends, if there is none.
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
        "operation failed and will be retried",
        metadata: ["attempt": "\(progress.state.attemptsUsed)", "delay": "\(delay)", "error": "\(failure)"])
      let all = isHint ? policy.wakers.filter(\.endsHintedWaits) : policy.wakers + wakers
      return RetryPause(of: delay, wakers: all, in: context)
    }
  }
}

/// The failure of a first attempt made before the retry core was needed.
struct RetryEarlyFailure {
  /// The error of the attempt.
  let error: any Error
  /// The time at which it started, by the operation's monotonic clock.
  let start: Duration
}

/// A request with its error type erased.
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
