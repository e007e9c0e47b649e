/// Tries a request again when it fails. See ``OperationRequest/retry(_:)``.
public struct RetryModifier<Operation: OperationRequest>: OperationModifier {
  /// When and how often.
  public let policy: RetryPolicy

  @inlinable
  package init(policy: RetryPolicy) {
    self.policy = policy
  }

  /// Announces the retry and its limit, and then lets `operation` write, whose own retry counts instead.
  public func setup(context: inout OperationContext, using operation: Operation) {
    let outer = context.retryScope.pending
    context.retryScope = RetryScope(pending: outer + 1, maxRetries: max(policy.limit, 0))
    operation.setup(context: &context)
  }

  /// Runs `operation` until it succeeds or the policy has enough.
  @inlinable
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) async throws -> Operation.Value {
    if let retries = retries(in: context, using: operation, with: continuation) {
      return try await retries.run(isolation: isolation)
    }
    return try await runOnce(isolation: isolation, in: context, using: operation, with: continuation)
  }

  /// The retry core; nil where this modifier is not the one that acts, or has nothing to do.
  @usableFromInline
  func retries(
    in context: OperationContext, using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) -> RetryRun<WidenedOperation<Operation>>? {
    let scope = context.retryScope
    guard scope.pending <= 1 else { return nil }
    let limit = scope.limit(of: policy)
    guard limit > 0 || policy.deadline != nil || context.retryState != nil || context.retryObserver != nil else {
      return nil
    }
    return RetryRun(
      of: WidenedOperation(operation: operation), policy: policy, limit: limit, in: context, with: continuation)
  }

  @inlinable
  func runOnce(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) async throws -> Operation.Value {
    guard !Task.isCancelled else { throw CancellationError() }
    let narrowed = continuation.narrowed(to: Operation.Failure.self)
    var inner = context
    if context.retryScope.pending > 1 {
      inner.retryScope.pending -= 1
    } else {
      // As in an attempt of the retry core: what the operation runs has retries of its own, which this one is not around.
      inner.retryScope = RetryScope(maxRetries: context.retryScope.limit(of: policy))
    }
    return try await operation.run(isolation: isolation, in: inner, with: narrowed)
  }
}

extension RetryModifier where Operation.Failure == any Error {
  /// The retry core, for an operation that no other modifier is inside of.
  package func retries(
    always operation: Operation, in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) -> RetryRun<Operation> {
    RetryRun(
      of: operation, policy: policy, limit: context.retryScope.limit(of: policy), in: context, with: continuation)
  }
}

extension OperationRequest {
  /// Tries the request again when it fails, as `policy` says.
  ///
  /// - Each attempt finds in its context which one it is (`operationRetryIndex`, `operationMaxRetries`,
  ///   `isLastRetryAttempt`).
  /// - Cancellation is checked before every attempt and ends a wait at once; either way `CancellationError` is thrown.
  ///   A `CancellationError` of the request itself is not retried once the task is cancelled.
  /// - When several retries are chained, only the innermost acts. A retry around an operation that runs other
  ///   operations (such as an injection) leaves theirs alone.
  /// - When nothing is left to try, the error of the last attempt is thrown, or ``RetryDeadlineError`` when the
  ///   deadline came during an attempt.
  @inlinable
  public func retry(_ policy: RetryPolicy) -> ModifiedOperation<Self, RetryModifier<Self>> {
    modifier(RetryModifier(policy: policy))
  }

  /// Tries the request again up to `limit` times when it fails, with the backoff of the context (see
  /// ``OperationRequest/backoff(_:)``).
  @inlinable
  public func retry(limit: Int) -> ModifiedOperation<Self, RetryModifier<Self>> {
    retry(RetryPolicy(limit: limit))
  }
}
