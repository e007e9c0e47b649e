public import Operations

/// Says whether a request that failed is tried again.
///
/// The operation asks its providers in their order, after each failure but cancellation; the first that has an opinion
/// decides. Where none has one, there is no retry.
public protocol HTTPRetryProvider: Sendable {
  /// What to do about a failure.
  func opinion(on failure: HTTPFailure, in context: OperationContext) async -> HTTPRetryOpinion
}

/// What a provider says about a failure.
public enum HTTPRetryOpinion: Sendable {
  /// Try again: after exactly `after`; where that is nil, the default, after the delay that the server asks for, or else
  /// the backoff's. Each of the wakers may bring the backoff's forward. The reason is for people.
  case retry(reason: String, after: Duration? = nil, wakers: [any RetryWaker] = [])
  /// Do not. The reason is for people.
  case doNotRetry(reason: String)
  /// Ask the next provider.
  case noOpinion
}

/// A failed attempt.
public struct HTTPFailure: Sendable {
  /// What it failed with.
  public var error: HTTPOperationError
  /// What was sent, or was to be sent.
  public var request: HTTPTransferRequest
  /// What brings early retries, and keeps the budgets.
  public var peers: HTTPPeers

  /// The status of the response that was rejected; nil where it was something else.
  public var rejectedStatus: Int? {
    if case .rejected = error.cause { error.head?.status.code } else { nil }
  }

  /// Whether the same request may be sent twice without harm: by its method, or by its `Idempotency-Key`.
  public var isIdempotent: Bool {
    request.isIdempotent
  }
}

/// A provider that is a closure.
public struct HTTPRetryRule: HTTPRetryProvider {
  private let rule: @Sendable (HTTPFailure) async -> HTTPRetryOpinion

  /// A provider that says what `rule` says.
  public init(_ rule: @escaping @Sendable (HTTPFailure) async -> HTTPRetryOpinion) {
    self.rule = rule
  }

  /// What the closure says.
  public func opinion(on failure: HTTPFailure, in context: OperationContext) async -> HTTPRetryOpinion {
    await rule(failure)
  }
}
