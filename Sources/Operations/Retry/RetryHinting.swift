/// An error that knows when another attempt makes sense, such as an HTTP response with `Retry-After`.
///
/// The hint is a minimum, and is then taken exactly: the next attempt starts after this delay, without jitter, not
/// limited by the backoff's cap, and not brought forward by a waker. A hint that reaches the policy's deadline ends the
/// retrying at once.
public protocol RetryHinting: Error {
  /// How long to wait before the next attempt; nil leaves it to the backoff. Negative counts as zero.
  var retryAfter: Duration? { get }
  /// What may end the wait after this failure before its time, beside the policy's wakers, because only the failure knows
  /// what is awaited. None by default.
  var retryWakers: [any RetryWaker] { get }
}

extension RetryHinting {
  /// None.
  public var retryWakers: [any RetryWaker] { [] }
}
