/// Thrown when the deadline over all attempts of a retry passes while an attempt is running, or before a resumed retry
/// can start one.
public struct RetryDeadlineError: RetryHinting, Sendable, Hashable, CustomStringConvertible {
  /// The deadline, counted from the start of the first attempt.
  public let deadline: Duration

  /// Creates the error for a missed deadline.
  public init(deadline: Duration) {
    self.deadline = deadline
  }

  /// Nil: if the error is retried anyway, the backoff decides.
  public var retryAfter: Duration? { nil }
  /// A retry around this one would multiply its deadline.
  public var retryStopReason: String? { description }

  /// The identifier of this failure in history and filters.
  public var code: String { "deadline-exceeded" }

  /// A description for people.
  public var description: String { "no attempt succeeded within the deadline of \(deadline)" }
}
