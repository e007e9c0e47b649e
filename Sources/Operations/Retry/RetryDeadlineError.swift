/// The deadline over all attempts of a retry came while one of them was running, or before a resumed retry could start
/// one.
public struct RetryDeadlineError: RetryHinting, Sendable, Hashable, CustomStringConvertible {
  /// The deadline, counted from the start of the first attempt.
  public let deadline: Duration

  /// The deadline `deadline` was missed.
  public init(deadline: Duration) {
    self.deadline = deadline
  }

  /// Nil: leaves it to the backoff of whoever retries all the same.
  public var retryAfter: Duration? { nil }
  /// A retry around this one would multiply its deadline.
  public var retryStopReason: String? { description }

  /// Names this failure in history and in filters.
  public var code: String { "deadline-exceeded" }

  /// The failure, for people.
  public var description: String { "no attempt succeeded within the deadline of \(deadline)" }
}
