public import Operations

/// How often, and when, a request is retried.
public struct HTTPRetrySettings: Sendable {
  /// The maximum number of retries. Defaults to 3.
  public var limit: Int
  /// How long to wait before each retry. Defaults to exponential from 1 s to 60 s with full jitter: up to 1, 2 and 4 s.
  public var backoff: OperationBackoff
  /// The limit for all attempts and waits together. Nil (the default) for no limit.
  public var deadline: Duration?
  /// The longest wait that `Retry-After` can request; longer ones are shortened to it. Defaults to 10 minutes.
  public var retryAfterCap: Duration
  /// The budget that limits the retries to each endpoint; nil for no limit. Defaults to ``HTTPRetryBudget/shared``.
  public var budget: HTTPRetryBudget?

  /// Creates settings; each has its default.
  public init(
    limit: Int = 3, backoff: OperationBackoff = OperationBackoff(), deadline: Duration? = nil,
    retryAfterCap: Duration = .seconds(600), budget: HTTPRetryBudget? = .shared
  ) {
    self.limit = limit
    self.backoff = backoff
    self.deadline = deadline
    self.retryAfterCap = retryAfterCap
    self.budget = budget
  }

  /// No retries.
  public static let none = HTTPRetrySettings(limit: 0)

  var policy: RetryPolicy {
    RetryPolicy(limit: limit, backoff: backoff, deadline: deadline) { [budget] error, _ in
      guard let failure = error as? HTTPOperationError else {
        return .stop(reason: "this is not a failure of the request")
      }
      return failure.decision(budget: budget)
    }
  }
}

extension HTTPOperationError {
  /// Decides for the retry core: by the verdict, within the budget.
  ///
  /// - Parameter budget: The limit for retries to the endpoint; nil for no limit.
  /// - Returns: The decision.
  public func decision(budget: HTTPRetryBudget?) -> RetryDecision {
    switch verdict {
    case .stop(let reason): return .stop(reason: reason)
    case .retry:
      guard let budget, let endpoint, !budget.take(for: endpoint) else { return .noOpinion }
      return .stop(reason: "the retry budget of \(endpoint) is used up")
    }
  }
}
