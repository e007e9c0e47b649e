public import Operations

/// The default retry provider of an operation.
///
/// | failure | idempotent request | other request |
/// |---|---|---|
/// | no connection, a lost connection, or no response in time | retry | no, see ``nonIdempotent`` |
/// | status 408, 425, 429, 500, 502, 503, 504 | retry | no |
/// | another status, a rejected media type | no | no |
/// | TLS verification, limits, redirects, decoding, a request that cannot be sent | no | no |
/// | an error thrown by a request processor, validator or result processor | no opinion | no opinion |
public struct HTTPDefaultRetryProvider: HTTPRetryProvider {
  /// When to retry a request that is not idempotent.
  public enum NonIdempotent: String, Sendable, Hashable, CaseIterable {
    /// Never. The default: the request may have been processed.
    case never
    /// If there was no connection, so that nothing was sent.
    case unsent
    /// Like any other request. For servers that tolerate it.
    case always
  }

  /// When to retry a request that is not idempotent.
  public var nonIdempotent: NonIdempotent
  /// The statuses to retry.
  public var statuses: Set<Int>
  /// The events that bring an attempt forward.
  public var early: HTTPEarlyRetry

  /// Creates a provider with the defaults of the table above.
  public init(
    nonIdempotent: NonIdempotent = .never, statuses: Set<Int> = HTTPRetryTable.statuses,
    early: HTTPEarlyRetry = .standard
  ) {
    self.nonIdempotent = nonIdempotent
    self.statuses = statuses
    self.early = early
  }

  /// Returns the opinion according to the table above.
  public func opinion(on failure: HTTPFailure, in context: OperationContext) async -> HTTPRetryOpinion {
    let kind: HTTPRetryTable.Kind
    let reason: String
    var isUnreachable = false
    switch failure.error.cause {
    case .transfer(let error):
      kind = HTTPRetryTable.kind(of: error)
      guard kind != .permanent else {
        return .doNotRetry(reason: "another attempt would also end with \(error.code.rawValue)")
      }
      isUnreachable = error.isUnreachable
      reason = error.code.rawValue
    case .rejected(let error):
      guard let rejection = error as? HTTPRejection else { return .noOpinion }
      guard rejection.code == HTTPStatusValidator.code, let status = failure.rejectedStatus, statuses.contains(status)
      else {
        let what = failure.rejectedStatus.map { "status \($0)" } ?? rejection.code
        return .doNotRetry(
          reason: rejection.code == HTTPStatusValidator.code
            ? "\(what) is not a temporary failure" : "another attempt would also end with \(rejection.code)")
      }
      kind = .connection
      reason = "status \(status)"
    case .request(let error) where error is HTTPEncodingError:
      return .doNotRetry(reason: "the request cannot be sent")
    case .result(let error) where error is HTTPResultError:
      return .doNotRetry(reason: "another attempt would have the same result")
    case .result(let error as HTTPDownloadError):
      guard error.isWorthAnotherTry else {
        return .doNotRetry(reason: "another attempt would also end with \(error.code.rawValue)")
      }
      kind = .connection
      reason = error.code.rawValue
    case .request, .result:
      return .noOpinion
    }
    guard failure.isIdempotent || nonIdempotent == .always || nonIdempotent == .unsent && kind == .unreachable else {
      return .doNotRetry(
        reason: "the server may have processed the \(failure.request.method.rawValue), which has no Idempotency-Key")
    }
    guard let endpoint = failure.error.endpoint else { return .retry(reason: reason) }
    return .retry(
      reason: reason,
      wakers: early.wakers(for: endpoint, peers: failure.peers, isUnreachable: isUnreachable, in: context))
  }
}
