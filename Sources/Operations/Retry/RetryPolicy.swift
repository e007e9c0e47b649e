/// When and how often a failed operation is retried.
public struct RetryPolicy: Sendable {
  /// Decides about a failure. Called on the caller's actor after each failed attempt that another could follow.
  public typealias Decide = @Sendable (any Error, RetryAttempt) -> RetryDecision

  /// The maximum number of *re*tries: a limit of 3 allows four attempts. 0 by default; a negative value counts as 0.
  public var limit: Int
  /// The backoff; nil, the default, uses the context's `operationBackoff`.
  public var backoff: OperationBackoff?
  /// Limits all attempts and waits together, counted from the start of the first attempt. Nil, the default, means no
  /// limit.
  ///
  /// An attempt that is still running at the deadline is cancelled and awaited, and ``RetryDeadlineError`` is thrown. A
  /// wait that would end at the deadline or later is not started, and the error of the last attempt is thrown.
  public var deadline: Duration?
  /// Decides about each failure; nil, the default, retries every one.
  public var decide: Decide?
  /// Wakers that may end a wait early. None by default.
  public var wakers: [any RetryWaker]

  /// Creates a policy; by default one that never retries.
  public init(
    limit: Int = 0,
    backoff: OperationBackoff? = nil,
    deadline: Duration? = nil,
    wakers: [any RetryWaker] = [],
    decide: Decide? = nil
  ) {
    self.limit = limit
    self.backoff = backoff
    self.deadline = deadline
    self.wakers = wakers
    self.decide = decide
  }
}
