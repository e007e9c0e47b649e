/// The state that a retry needs to continue after a restart of the host.
public struct RetryState: Sendable, Hashable {
  /// The number of attempts already made; the next one has the number after it. If the limit has been reached, one more
  /// attempt is made anyway, because resuming asks for it.
  public var attemptsUsed: Int
  /// The last delay of the backoff, which decorrelated backoff builds on; nil if there was none.
  public var previousDelay: Duration?
  /// The time already spent since the start of the first attempt, which counts towards the deadline.
  public var elapsed: Duration
  /// The remaining delay before the first attempt here; nil, zero or less starts immediately. Wakers may shorten it.
  public var remainingDelay: Duration?

  /// Creates a state; by default that of a retry that has not started.
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

  /// The state from which the retry continues; nil, the default, starts from the beginning. Applies only to the first
  /// run of a repeated operation.
  @inlinable
  public var retryState: RetryState? {
    get { self[RetryStateKey.self] }
    set { self[RetryStateKey.self] = newValue }
  }
}
