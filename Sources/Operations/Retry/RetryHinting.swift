/// An error that knows when another attempt makes sense, or that none does, such as an HTTP response with `Retry-After`.
///
/// The hint is taken exactly: the next attempt starts after this delay, without jitter, not limited by the backoff's cap, and brought
/// forward only by wakers with ``RetryWaker/endsHintedWaits``. A hint that reaches the policy's deadline ends the retry immediately.
public protocol RetryHinting: Error {
  /// The delay before the next attempt; nil uses the backoff. A negative value counts as zero.
  var retryAfter: Duration? { get }
  /// The reason why no further attempt makes sense, for people; nil, the default, if one may. Ends the retry
  /// immediately, unless the policy decides to retry regardless of hints.
  var retryStopReason: String? { get }
  /// Wakers that may end the wait after this failure early, in addition to the policy's, for failures that know what
  /// they are waiting for. None by default.
  var retryWakers: [any RetryWaker] { get }
}

extension RetryHinting {
  /// Nil: another attempt may make sense.
  public var retryStopReason: String? { nil }
  /// None.
  public var retryWakers: [any RetryWaker] { [] }
}
