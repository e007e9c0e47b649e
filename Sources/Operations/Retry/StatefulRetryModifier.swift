/// Retries a stateful request when it fails, keeping its failure type, so that the state stays the same. See
/// ``StatefulOperationRequest/retry(_:)``.
public struct StatefulRetryModifier<Operation: OperationRequest>: OperationModifier {
  /// When and how often to retry.
  public let policy: RetryPolicy

  init(policy: RetryPolicy) {
    self.policy = policy
  }

  /// Announces the retry like ``RetryModifier``.
  public func setup(context: inout OperationContext, using operation: Operation) {
    RetryModifier(policy: policy).setup(context: &context, using: operation)
  }

  /// Runs `operation` until it succeeds or the policy allows no further attempt.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>
  ) async throws(Operation.Failure) -> Operation.Value {
    try await operation.runRetried(policy, isolation: isolation, in: context, with: continuation)
  }
}

extension OperationRequest {
  /// Runs the request with retries, throwing only errors that the request itself can throw.
  ///
  /// The first attempt is made here, because it is usually the only one; the retry core continues from there.
  @inline(__always)
  func runRetried(
    _ policy: RetryPolicy,
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value {
    let scope = context.retryScope
    let limit = scope.limit(of: policy)
    let isPlain = policy.deadline == nil && context.retryState == nil && context.retryObserver == nil
    guard scope.pending <= 1, isPlain, !Task.isCancelled else {
      return try await runByCore(policy, isolation: isolation, in: context, limit: limit, with: continuation)
    }
    let start = context.operationClock.monotonic()
    var inner = context
    inner.retryScope = RetryScope(maxRetries: limit)
    do {
      return try await run(isolation: isolation, in: inner, with: continuation)
    } catch {
      guard limit > 0 else { throw error }
      return try await runAgain(
        policy, isolation: isolation, in: context, limit: limit, after: error, start: start, with: continuation)
    }
  }

  // The next two are separate functions, so that a run that succeeds immediately pays nothing for what they need.

  /// Makes all attempts in the retry core.
  @inline(never)
  private func runByCore(
    _ policy: RetryPolicy,
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    limit: Int,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value {
    try await runAttempts(policy, isolation: isolation, in: context, limit: limit, after: nil, with: continuation)
  }

  /// Makes all attempts in the retry core, except the first one, which has failed.
  @inline(never)
  private func runAgain(
    _ policy: RetryPolicy,
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    limit: Int,
    after error: Failure,
    start: Duration,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value {
    try await runAttempts(
      policy, isolation: isolation, in: context, limit: limit, after: (error, start), with: continuation)
  }

  private func runAttempts(
    _ policy: RetryPolicy,
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    limit: Int,
    after early: (error: Failure, start: Duration)?,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value {
    let last = Failure.self == (any Error).self ? nil : LastAttempt<Value, Failure>(early.map { .failure($0.error) })
    let attempt = RetriedAttempt(operation: self, continuation: continuation, last: last)
    let core = RetryModifier<RetriedAttempt<Self>>(policy: policy)
    do {
      if let early {
        let retries = RetryRun(
          of: WidenedOperation(operation: attempt), policy: policy, limit: limit,
          after: RetryEarlyFailure(error: early.error, start: early.start), in: context,
          with: OperationContinuation())
        return try await retries.run(isolation: isolation)
      }
      return try await core.run(isolation: isolation, in: context, using: attempt, with: OperationContinuation())
    } catch {
      if let failure = error as? Failure { throw failure }
    }
    // The run was cancelled or missed its deadline, which a failure of this type cannot express: the outcome of the
    // last attempt is used, even if it came too late.
    if let end = last?.end { return try end.get() }
    // There was no attempt: run the request cancelled, so that it decides on its own outcome.
    return try await runCancelled(isolation: isolation, in: context.forNestedOperation(), with: continuation)
  }

  private func runCancelled(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value {
    let only = LastAttempt<Value, Failure>(nil)
    let attempt = RetriedAttempt(operation: self, continuation: continuation, last: only)
    await withTaskGroup(of: Void.self, isolation: isolation) { group in
      group.cancelAll()
      group.addImmediateTask {
        _ = try? await attempt.run(isolation: isolation, in: context, with: OperationContinuation())
      }
    }
    guard let end = only.end else { preconditionFailure("an attempt has no end") }
    return try end.get()
  }
}

/// One attempt as seen by the retry core. Carries the continuation past the core, which would have to wrap it.
private struct RetriedAttempt<Operation: OperationRequest>: OperationRequest {
  let operation: Operation
  let continuation: OperationContinuation<Operation.Value, Operation.Failure>
  let last: LastAttempt<Operation.Value, Operation.Failure>?

  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with _: OperationContinuation<Operation.Value, Operation.Failure>
  ) async throws(Operation.Failure) -> Operation.Value {
    do {
      let value = try await operation.run(isolation: isolation, in: context, with: continuation)
      last?.end = .success(value)
      return value
    } catch {
      last?.end = .failure(error)
      throw error
    }
  }
}

/// The outcome of the last attempt; nil before the first one has ended.
///
/// Unchecked because attempts are sequential, and the outcome is read after the last one.
private final class LastAttempt<Value, Failure: Error>: @unchecked Sendable {
  var end: Result<Value, Failure>?

  init(_ end: Result<Value, Failure>?) {
    self.end = end
  }
}

extension StatefulOperationRequest {
  /// Retries the request when it fails, as specified by `policy`. Unlike ``OperationRequest/retry(_:)``, it only throws
  /// a `Failure`, so that the request keeps its state.
  ///
  /// If `Failure` cannot be a `CancellationError` or a ``RetryDeadlineError``, the outcome of the last attempt is used
  /// instead, be it a failure or a value that came too late; and a request that is cancelled before its first attempt,
  /// or has no time for one, is run once, cancelled.
  public func retry(_ policy: RetryPolicy) -> ModifiedOperation<Self, StatefulRetryModifier<Self>> {
    modifier(StatefulRetryModifier(policy: policy))
  }

  /// Retries the request up to `limit` times when it fails, with the backoff of the context (see
  /// ``OperationRequest/backoff(_:)``).
  public func retry(limit: Int) -> ModifiedOperation<Self, StatefulRetryModifier<Self>> {
    retry(RetryPolicy(limit: limit))
  }
}
