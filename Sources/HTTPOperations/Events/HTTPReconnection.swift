import Operations

/// When, and how often, an ``HTTPEventSource`` reconnects.
///
/// After a stream that ended or was lost, it waits between once and twice the reconnection time, so that the clients of a restarted server do not all
/// reconnect at the same instant. After each further connection that does not become a stream, the wait is doubled, up to the cap. By default, unless the
/// server sets another time, the waits are 3 to 6 s, 6 to 12 s, 12 to 24 s, 24 to 48 s, and then 30 to 60 s.
public struct HTTPReconnection: Sendable, Hashable {
  /// The reconnection time, until the server sets one with `retry:`. Defaults to 3 s. The minimum, for the server as well, is 100 ms.
  public var time: Duration
  /// The longest wait, unless twice the reconnection time is longer. Defaults to 60 s.
  public var cap: Duration
  /// How many connections in a row may fail to become a stream, after the first, before the source fails. Nil (the default) for no limit.
  public var limit: Int?
  /// The statuses to retry. Defaults to ``HTTPRetryTable/statuses``. The standard has none, but a source may run for months and should not end because a
  /// proxy answers 503 for a minute.
  public var statuses: Set<Int>
  /// The longest wait that `Retry-After` can request. Defaults to 10 minutes.
  public var retryAfterCap: Duration
  /// The events that bring a connection forward.
  public var early: HTTPEarlyRetry

  /// Creates settings; each has its default.
  public init(
    time: Duration = .seconds(3), cap: Duration = .seconds(60), limit: Int? = nil,
    statuses: Set<Int> = HTTPRetryTable.statuses, retryAfterCap: Duration = .seconds(600),
    early: HTTPEarlyRetry = .standard
  ) {
    self.time = time
    self.cap = cap
    self.limit = limit
    self.statuses = statuses
    self.retryAfterCap = retryAfterCap
    self.early = early
  }

  /// Returns the waits for a reconnection time.
  func backoff(time: Duration) -> OperationBackoff {
    let base = Self.floored(time) * 2
    return OperationBackoff(.exponential, base: base, cap: max(cap, base), jitter: .equal)
  }

  /// Returns the policy for retrying connections until the next stream.
  func policy(time: Duration, wakers: [any RetryWaker]) -> RetryPolicy {
    RetryPolicy(limit: limit ?? .max, backoff: backoff(time: time), wakers: wakers) { error, _ in
      guard let failure = error as? HTTPOperationError else {
        return .stop(reason: "this is not a failure of the connection")
      }
      if case .stop(let reason) = failure.verdict { return .stop(reason: reason) }
      // If the server sends `Retry-After: 0` each time, obeying it would mean reconnecting without a pause.
      guard let asked = failure.retryAfter, asked > Self.floored(time) else { return .retry }
      return .retryAfter(asked)
    }
  }

  private static func floored(_ time: Duration) -> Duration { max(time, .milliseconds(100)) }
}

/// Gives the opinion of an event source on a failed connection.
struct HTTPEventRetryProvider: HTTPRetryProvider {
  let reconnection: HTTPReconnection

  func opinion(on failure: HTTPFailure, in context: OperationContext) async -> HTTPRetryOpinion {
    let reason: String
    var isUnreachable = false
    switch failure.error.cause {
    case .transfer(let error):
      guard HTTPRetryTable.kind(of: error) != .permanent else {
        return .doNotRetry(reason: "another attempt would also end with \(error.code.rawValue)")
      }
      isUnreachable = error.isUnreachable
      reason = error.code.rawValue
    case .rejected(let error as HTTPRejection) where error.code == HTTPStatusValidator.code:
      guard let status = failure.rejectedStatus, reconnection.statuses.contains(status) else {
        return .doNotRetry(reason: "the server has no such stream")
      }
      reason = "status \(status)"
    case .result(let error as HTTPResultError) where error.code == .streamEnded:
      reason = "the stream ended"
    case .request, .rejected, .result:
      return .doNotRetry(reason: "another attempt would also end with \(failure.error.code)")
    }
    guard let endpoint = failure.error.endpoint else { return .retry(reason: reason) }
    let wakers = reconnection.early.wakers(
      for: endpoint, peers: failure.peers, isUnreachable: isUnreachable, in: context)
    return .retry(reason: reason, wakers: wakers)
  }
}
