/// The deadline over all attempts of a retry came while one of them was running, or before a resumed retry could start
/// one.
public struct RetryDeadlineError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The deadline, counted from the start of the first attempt.
  public let deadline: Duration

  /// The deadline `deadline` was missed.
  public init(deadline: Duration) {
    self.deadline = deadline
  }

  /// Names this failure in history and in filters.
  public var code: String { "deadline-exceeded" }

  /// The failure, for people.
  public var description: String { "no attempt succeeded within the deadline of \(deadline)" }
}
