extension RetryModifier {
  /// The one retry core. After a failure it looks, in this order, at: the limit, cancellation, the policy's decision,
  /// the deadline.
  /// Goes on after `early` where whoever calls has made the first attempt already.
  @usableFromInline
  func runAttempts(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    limit: Int,
    after early: RetryEarlyFailure? = nil,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) async throws -> Operation.Value {
    var early = early
    var progress = RetryProgress(policy: policy, limit: limit, context: context, start: early?.start)
    let observer = context.retryObserver
    let pause = RetryPause(wakers: policy.wakers, delayer: context.operationDelayer, observer: observer)
    let narrowed = continuation.narrowed(to: Operation.Failure.self)
    var inner = context.forNestedOperation()

    if let remaining = progress.takeRemainingDelay() {
      if let deadline = policy.deadline, progress.elapsed + remaining >= deadline {
        observer?.onGiveUp(.deadline)
        throw RetryDeadlineError(deadline: deadline)
      }
      try await pause.run(isolation: isolation, for: remaining, heedingWakers: true)
    }

    while true {
      if early == nil, Task.isCancelled {
        observer?.onGiveUp(.cancelled)
        throw CancellationError()
      }
      inner.retryScope = progress.beginAttempt()
      observer?.onAttempt(progress.state.attemptsUsed)

      let failure: any Error
      var missedDeadline = false
      do {
        if let error = early?.error {
          early = nil
          throw error
        }
        guard let deadline = policy.deadline else {
          return try await operation.run(isolation: isolation, in: inner, with: narrowed)
        }
        let value = try await TimeLimit.run(
          operation, isolation: isolation, in: inner, with: narrowed, for: deadline - progress.elapsed,
          delayer: context.operationTimeLimitDelayer ?? pause.delayer)
        if let value { return value }
        failure = RetryDeadlineError(deadline: deadline)
        missedDeadline = true
      } catch {
        failure = error
      }

      let verdict =
        missedDeadline
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
        try await pause.with(wakers).run(isolation: isolation, for: delay, heedingWakers: !isHint)
      }
    }
  }
}

/// A first attempt that was made before the retry core was needed.
@usableFromInline
struct RetryEarlyFailure {
  /// What it failed with.
  let error: any Error
  /// When it began, by the operation's monotonic clock.
  let start: Duration
}
