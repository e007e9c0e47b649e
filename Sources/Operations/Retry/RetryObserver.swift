/// Is told what a retry does: for recording, not for deciding.
///
/// Each closure is called on the actor of whoever runs the operation, in order, and under no lock.
public struct RetryObserver: Sendable {
  /// An attempt begins. Its number counts from 1, attempts before a resume included.
  public var onAttempt: @Sendable (Int) -> Void
  /// An attempt failed, and a wait for the next begins. Not called for what a resumed retry still has to wait.
  public var onWait: @Sendable (RetryWait) -> Void
  /// A wait ended.
  public var onWake: @Sendable (RetryWakeCause) -> Void
  /// There will be no further attempt, although the last one did not succeed. Called exactly once for every run that
  /// throws.
  public var onGiveUp: @Sendable (RetryGiveUpReason) -> Void

  /// An observer of some of it.
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

/// A wait that begins after a failed attempt.
public struct RetryWait: Sendable {
  /// The number of the attempt that failed, from 1.
  public let attempt: Int
  /// What it failed with.
  public let error: any Error
  /// The chosen delay.
  public let delay: Duration
  /// When the delay is over, by the operation's wall clock.
  public let due: Timestamp
  /// What to keep so that the wait can go on in another process. Its remaining delay is the whole delay: take off what
  /// has passed since.
  public let state: RetryState

  /// A wait.
  public init(attempt: Int, error: any Error, delay: Duration, due: Timestamp, state: RetryState) {
    self.attempt = attempt
    self.error = error
    self.delay = delay
    self.due = due
    self.state = state
  }
}

/// What ended a wait.
public enum RetryWakeCause: Sendable, Hashable {
  /// The chosen delay was over.
  case delay
  /// The waker of this name fired.
  case waker(String)
  /// The task was cancelled; no attempt follows.
  case cancelled
}

/// Why no further attempt is made.
public enum RetryGiveUpReason: Sendable, Hashable {
  /// All retries are used up.
  case limit
  /// The next attempt would start at the deadline or later, or an attempt was still running then.
  case deadline
  /// The policy's `decide` said so, or the error itself, with this reason; or the delayer failed, which is then the reason.
  case stopped(String)
  /// The task was cancelled.
  case cancelled
}

extension OperationContext {
  @usableFromInline
  enum RetryObserverKey: Key {
    @usableFromInline static var defaultValue: RetryObserver? { nil }
  }

  /// Who is told what the retry does; nobody by default.
  @inlinable
  public var retryObserver: RetryObserver? {
    get { self[RetryObserverKey.self] }
    set { self[RetryObserverKey.self] = newValue }
  }
}
