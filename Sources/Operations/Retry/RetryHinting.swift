/// An error that knows when another attempt makes sense, and whether one does at all, such as an HTTP response with `Retry-After`.
///
/// The hint is a minimum, and is then taken exactly: the next attempt starts after this delay, without jitter, not
/// limited by the backoff's cap, and not brought forward by a waker. A hint that reaches the policy's deadline ends the
/// retrying at once.
public protocol RetryHinting: Error {
  /// How long to wait before the next attempt; nil leaves it to the backoff. Negative counts as zero.
  var retryAfter: Duration? { get }
  /// Why no other attempt makes sense, for people; nil, the default, where one may. Ends the retrying at once, unless the
  /// policy decides to retry whatever the error hints at.
  var retryStopReason: String? { get }
  /// What may end the wait after this failure before its time, beside the policy's wakers, because only the failure knows
  /// what is awaited. None by default.
  var retryWakers: [any RetryWaker] { get }
}

extension RetryHinting {
  /// Another attempt may make sense.
  public var retryStopReason: String? { nil }
  /// None.
  public var retryWakers: [any RetryWaker] { [] }
}
