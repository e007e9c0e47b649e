public import Operations

/// Decides whether to retry a failed request.
///
/// The operation consults its providers in order, after each failure except cancellation; the first that has an opinion decides. If none has one, there is
/// no retry.
public protocol HTTPRetryProvider: Sendable {
  /// Returns the opinion on a failure.
  func opinion(on failure: HTTPFailure, in context: OperationContext) async -> HTTPRetryOpinion
}

/// The opinion of a provider on a failure.
public enum HTTPRetryOpinion: Sendable {
  /// Retry: after exactly `after`; if that is nil (the default), after the delay requested by the server, or otherwise that of the backoff. Any of the
  /// wakers may bring the backoff's delay forward. The reason is for people to read.
  case retry(reason: String, after: Duration? = nil, wakers: [any RetryWaker] = [])
  /// Do not retry. The reason is for people to read.
  case doNotRetry(reason: String)
  /// Consult the next provider.
  case noOpinion
}

/// A failed attempt.
public struct HTTPFailure: Sendable {
  /// The error of the attempt.
  public var error: HTTPOperationError
  /// The request that was sent, or was to be sent.
  public var request: HTTPTransferRequest
  /// The source of early retries.
  public var peers: HTTPPeers

  /// The status of the rejected response; nil for any other failure.
  public var rejectedStatus: Int? {
    if case .rejected = error.cause { error.head?.status.code } else { nil }
  }

  /// Whether the request is safe to send twice, because of its method or its `Idempotency-Key`.
  public var isIdempotent: Bool {
    request.isIdempotent
  }
}

/// A provider made of a closure.
public struct HTTPRetryRule: HTTPRetryProvider {
  private let rule: @Sendable (HTTPFailure) async -> HTTPRetryOpinion

  /// Creates a provider that returns the opinion of `rule`.
  public init(_ rule: @escaping @Sendable (HTTPFailure) async -> HTTPRetryOpinion) {
    self.rule = rule
  }

  /// Returns the opinion of the closure.
  public func opinion(on failure: HTTPFailure, in context: OperationContext) async -> HTTPRetryOpinion {
    await rule(failure)
  }
}
