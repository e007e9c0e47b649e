/// What a retry policy says about one failure.
public enum RetryDecision: Sendable, Hashable {
  /// Try again, after the backoff's delay, whatever the error hints at.
  case retry
  /// Try again after exactly this delay, as if the error had hinted at it (see ``RetryHinting``).
  case retryAfter(Duration)
  /// Do not try again. The reason is for people.
  case stop(reason: String)
  /// Whatever is the default: what the error hints at (see ``RetryHinting``), or else another try after the backoff's delay.
  case noOpinion
}

/// The attempt that has just failed, for whoever decides what follows.
public struct RetryAttempt: Sendable, Hashable {
  /// Which attempt it was, from 1, with those before a resume included.
  public let number: Int
  /// The most retries there can be.
  public let maxRetries: Int
  /// Time since the start of the first attempt, with that before a resume included.
  public let elapsed: Duration

  /// An attempt.
  public init(number: Int, maxRetries: Int, elapsed: Duration) {
    self.number = number
    self.maxRetries = maxRetries
    self.elapsed = elapsed
  }
}
