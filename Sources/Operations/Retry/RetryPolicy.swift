/// When, and how often, a failed operation is tried again.
public struct RetryPolicy: Sendable {
  /// Judges a failure. Called on the caller's actor after each failed attempt that another could follow.
  public typealias Decide = @Sendable (any Error, RetryAttempt) -> RetryDecision

  /// The most *re*tries: a limit of 3 allows four attempts. 0 by default; negative counts as 0.
  public var limit: Int
  /// How long to wait before each retry; nil, the default, takes the context's `operationBackoff`.
  public var backoff: OperationBackoff?
  /// Bounds all attempts and waits together, counted from the start of the first attempt. nil, the default, is no
  /// bound.
  ///
  /// An attempt that still runs at the deadline is cancelled and awaited, and ``RetryDeadlineError`` is thrown. A wait
  /// that would end then or later is not begun, and the error of the last attempt is thrown.
  public var deadline: Duration?
  /// Judges each failure; nil, the default, retries every one.
  public var decide: Decide?
  /// What may end a wait before its time. None by default.
  public var wakers: [any RetryWaker]

  /// A policy; by default one that never retries.
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
