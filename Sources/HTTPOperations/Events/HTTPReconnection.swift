import Operations

/// When, and how often, an ``HTTPEventSource`` connects again.
///
/// After a stream that ended or was lost, it waits between once and twice the reconnection time, so that the clients of
/// a server that was restarted do not all come back at one instant. After each further connection that does not become
/// a stream the wait is doubled, up to the cap. By default, and where the server says nothing else, that is 3 to 6 s,
/// 6 to 12 s, 12 to 24 s, 24 to 48 s, and then 30 to 60 s.
public struct HTTPReconnection: Sendable, Hashable {
  /// The reconnection time, until the server names one with `retry:`. 3 s by default; less than 100 ms, here and from
  /// the server, counts as 100 ms.
  public var time: Duration
  /// The longest wait, unless twice the reconnection time is longer. 60 s by default.
  public var cap: Duration
  /// How many connections in a row may not become a stream, after the first, before the source fails; nil, the default,
  /// for any number.
  public var limit: Int?
  /// The statuses that are worth another try. By default those of ``HTTPRetryTable/statuses``. The standard has none;
  /// but a source is there for months, and a proxy that answers 503 for a minute should not be its end.
  public var statuses: Set<Int>
  /// The longest wait that `Retry-After` can ask for. 10 minutes by default.
  public var retryAfterCap: Duration
  /// What brings a connection forward.
  public var early: HTTPEarlyRetry

  /// Settings; each has its default.
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

  /// The waits, with a reconnection time.
  func backoff(time: Duration) -> OperationBackoff {
    let base = Self.floored(time) * 2
    return OperationBackoff(.exponential, base: base, cap: max(cap, base), jitter: .equal)
  }

  /// How the connections up to the next stream are retried.
  func policy(time: Duration, wakers: [any RetryWaker]) -> RetryPolicy {
    RetryPolicy(limit: limit ?? .max, backoff: backoff(time: time), wakers: wakers) { error, _ in
      guard let failure = error as? HTTPOperationError else {
        return .stop(reason: "this is no failure of the connection")
      }
      if case .stop(let reason) = failure.verdict { return .stop(reason: reason) }
      // A server that says `Retry-After: 0` each time would be asked without a pause.
      guard let asked = failure.retryAfter, asked > Self.floored(time) else { return .retry }
      return .retryAfter(asked)
    }
  }

  private static func floored(_ time: Duration) -> Duration { max(time, .milliseconds(100)) }
}

/// The opinion of an event source on a connection that failed.
struct HTTPEventRetryProvider: HTTPRetryProvider {
  let reconnection: HTTPReconnection

  func opinion(on failure: HTTPFailure, in context: OperationContext) async -> HTTPRetryOpinion {
    let reason: String
    var isUnreachable = false
    switch failure.error.cause {
    case .transfer(let error):
      guard HTTPRetryTable.kind(of: error) != .permanent else {
        return .doNotRetry(reason: "\(error.code.rawValue) will be the same next time")
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
      return .doNotRetry(reason: "\(failure.error.code) will be the same next time")
    }
    guard let endpoint = failure.error.endpoint else { return .retry(reason: reason) }
    let wakers = reconnection.early.wakers(
      for: endpoint, peers: failure.peers, isUnreachable: isUnreachable, in: context)
    return .retry(reason: reason, wakers: wakers)
  }
}
