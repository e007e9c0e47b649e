/// Observes a retry, for recording rather than for deciding.
///
/// Each closure is called on the actor on which the operation runs, in order, and without a lock held.
public struct RetryObserver: Sendable {
  /// Called when an attempt starts, with its number from 1, including attempts before a resume.
  public var onAttempt: @Sendable (Int) -> Void
  /// Called when an attempt has failed and the wait for the next one starts. Not called for the remaining wait of a resumed retry.
  public var onWait: @Sendable (RetryWait) -> Void
  /// Called when a wait ends.
  public var onWake: @Sendable (RetryWakeCause) -> Void
  /// Called when no further attempt will be made although the last one did not succeed; exactly once for every run that
  /// throws.
  public var onGiveUp: @Sendable (RetryGiveUpReason) -> Void

  /// Creates an observer with any of these closures.
  public init(
    onAttempt: @escaping @Sendable (Int) -> Void = { _ in },
    onWait: @escaping @Sendable (RetryWait) -> Void = { _ in },
    onWake: @escaping @Sendable (RetryWakeCause) -> Void = { _ in },
    onGiveUp: @escaping @Sendable (RetryGiveUpReason) -> Void = { _ in }
  ) {
    self.onAttempt = onAttempt
    self.onWait = onWait
    self.onWake = onWake
    self.onGiveUp = onGiveUp
  }
}

/// A wait after a failed attempt.
public struct RetryWait: Sendable {
  /// The number of the attempt that failed, from 1.
  public let attempt: Int
  /// The error of that attempt.
  public let error: any Error
  /// The chosen delay.
  public let delay: Duration
  /// The time at which the delay is over, by the operation's wall clock.
  public let due: Timestamp
  /// The state to save so that the wait can continue in another process. Its remaining delay is the whole delay:
  /// subtract the time that has passed since.
  public let state: RetryState

  /// Creates a wait.
  public init(attempt: Int, error: any Error, delay: Duration, due: Timestamp, state: RetryState) {
    self.attempt = attempt
    self.error = error
    self.delay = delay
    self.due = due
    self.state = state
  }
}

/// The reason why a wait ended.
public enum RetryWakeCause: Sendable, Hashable {
  /// The chosen delay was over.
  case delay
  /// The waker with this name fired.
  case waker(String)
  /// The task was cancelled; no attempt follows.
  case cancelled
}

/// The reason why no further attempt is made.
public enum RetryGiveUpReason: Sendable, Hashable {
  /// All retries are used up.
  case limit
  /// The next attempt would start at the deadline or later, or an attempt was still running then.
  case deadline
  /// The policy's `decide` or the error itself stopped the retry, for this reason; or the delayer failed, which is then the reason.
  case stopped(String)
  /// The task was cancelled.
  case cancelled
}

extension OperationContext {
  @usableFromInline
  enum RetryObserverKey: Key {
    @usableFromInline static var defaultValue: RetryObserver? { nil }
  }

  /// The observer of the retry; none by default.
  @inlinable
  public var retryObserver: RetryObserver? {
    get { self[RetryObserverKey.self] }
    set { self[RetryObserverKey.self] = newValue }
  }
}
