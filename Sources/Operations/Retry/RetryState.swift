/// What a retry must remember to go on after a restart of the host.
public struct RetryState: Sendable, Hashable {
  /// How many attempts were made already. The next has the number after it. When the limit is used up, one more attempt
  /// is made nevertheless, since whoever resumes asked for it.
  public var attemptsUsed: Int
  /// The last delay of the backoff, which decorrelated backoff builds on; nil when there was none.
  public var previousDelay: Duration?
  /// Time already spent since the start of the first attempt, which counts against the deadline.
  public var elapsed: Duration
  /// What is left to wait before the first attempt here; nil, or nothing left, starts at once. Wakers may shorten it.
  public var remainingDelay: Duration?

  /// A state; by default that of a retry which has not begun.
  public init(
    attemptsUsed: Int = 0,
    previousDelay: Duration? = nil,
    elapsed: Duration = .zero,
    remainingDelay: Duration? = nil
  ) {
    self.attemptsUsed = attemptsUsed
    self.previousDelay = previousDelay
    self.elapsed = elapsed
    self.remainingDelay = remainingDelay
  }
}

extension OperationContext {
  @usableFromInline
  enum RetryStateKey: Key {
    @usableFromInline static var defaultValue: RetryState? { nil }
  }

  /// Where the retry goes on; nil, the default, starts from the beginning. Of a repeated operation, only the first run
  /// sees it.
  @inlinable
  public var retryState: RetryState? {
    get { self[RetryStateKey.self] }
    set { self[RetryStateKey.self] = newValue }
  }
}
