/// Retries a request when it fails. See ``OperationRequest/retry(_:)``.
public struct RetryModifier<Operation: OperationRequest>: OperationModifier {
  /// When and how often to retry.
  public let policy: RetryPolicy

  @inlinable
  package init(policy: RetryPolicy) {
    self.policy = policy
  }

  /// Announces the retry and its limit, and then lets `operation` write, whose own retry takes precedence.
  public func setup(context: inout OperationContext, using operation: Operation) {
    let outer = context.retryScope.pending
    context.retryScope = RetryScope(pending: outer + 1, maxRetries: max(policy.limit, 0))
    operation.setup(context: &context)
  }

  /// Runs `operation` until it succeeds or the policy allows no further attempt.
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

  /// Returns the retry core, or nil if this modifier is not the one that acts, or has nothing to do.
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
      // As in an attempt of the retry core: nested operations have retries of their own, unaffected by this one.
      inner.retryScope = RetryScope(maxRetries: context.retryScope.limit(of: policy))
    }
    return try await operation.run(isolation: isolation, in: inner, with: narrowed)
  }
}

extension RetryModifier where Operation.Failure == any Error {
  /// Returns the retry core for an operation that is not wrapped in other modifiers.
  package func retries(
    always operation: Operation, in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) -> RetryRun<Operation> {
    RetryRun(
      of: operation, policy: policy, limit: context.retryScope.limit(of: policy), in: context, with: continuation)
  }
}

extension OperationRequest {
  /// Retries the request when it fails, as specified by `policy`.
  ///
  /// - The context of each attempt contains its number (`operationRetryIndex`, `operationMaxRetries`,
  ///   `isLastRetryAttempt`).
  /// - Cancellation is checked before every attempt and ends a wait immediately; in both cases `CancellationError` is
  ///   thrown. A `CancellationError` of the request itself is not retried once the task is cancelled.
  /// - If several retries are chained, only the innermost acts. A retry around an operation that runs other operations
  ///   (such as an injection) does not affect theirs.
  /// - When no attempts are left, the error of the last one is thrown, or ``RetryDeadlineError`` if the deadline passed
  ///   during an attempt.
  @inlinable
  public func retry(_ policy: RetryPolicy) -> ModifiedOperation<Self, RetryModifier<Self>> {
    modifier(RetryModifier(policy: policy))
  }

  /// Retries the request up to `limit` times when it fails, with the backoff of the context (see
  /// ``OperationRequest/backoff(_:)``).
  @inlinable
  public func retry(limit: Int) -> ModifiedOperation<Self, RetryModifier<Self>> {
    retry(RetryPolicy(limit: limit))
  }
}
