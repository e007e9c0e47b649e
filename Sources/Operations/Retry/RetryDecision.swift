/// A retry policy's decision about a failure.
public enum RetryDecision: Sendable, Hashable {
  /// Retry after the backoff's delay, regardless of any hint of the error.
  case retry
  /// Retry after exactly this delay, as if the error had hinted at it (see ``RetryHinting``).
  case retryAfter(Duration)
  /// Do not retry. The reason is for people.
  case stop(reason: String)
  /// Do the default: what the error hints at (see ``RetryHinting``), or else retry after the backoff's delay.
  case noOpinion
}

/// The attempt that has just failed, as input to a retry decision.
public struct RetryAttempt: Sendable, Hashable {
  /// The number of the attempt, from 1, including those before a resume.
  public let number: Int
  /// The maximum number of retries.
  public let maxRetries: Int
  /// The time since the start of the first attempt, including that before a resume.
  public let elapsed: Duration

  /// Creates an attempt.
  public init(number: Int, maxRetries: Int, elapsed: Duration) {
    self.number = number
    self.maxRetries = maxRetries
    self.elapsed = elapsed
  }
}
