public import Operations

/// Why an attempt of an HTTP operation failed, and whether another makes sense.
public struct HTTPOperationError: RetryHinting, Sendable, CustomStringConvertible {
  /// The stage that failed.
  public enum Cause: Sendable {
    /// A request processor failed, or the request cannot be encoded.
    case request(any Error)
    /// The transfer failed.
    case transfer(HTTPTransferError)
    /// A validator rejected the response: an ``HTTPRejection``, or a validator's own error.
    case rejected(any Error)
    /// The body could not be converted to a value or saved as a file.
    case result(any Error)
  }

  /// Whether another attempt makes sense.
  public enum Verdict: Sendable {
    /// It makes sense, for this reason. The wakers may bring it forward.
    case retry(reason: String, wakers: [any RetryWaker])
    /// It makes no sense, for this reason.
    case stop(reason: String)
  }

  /// The stage that failed, and its error.
  public var cause: Cause
  /// The method of the request.
  public var method: String
  /// The endpoint of the request; nil if its URL is invalid.
  public var endpoint: HTTPEndpoint?
  /// The head of the response; nil if there was none.
  public var head: HTTPResponseHead?
  /// The beginning of the body of a rejected response.
  public var body: [UInt8] = []
  /// Whether `body` is the whole body, as opposed to the beginning of a longer one.
  public var hasWholeBody = false
  /// Whether an earlier request of the same attempt was sent.
  var hasSent = false
  /// Whether the operation has used its own retries, so that an enclosing retry must not add more.
  public var hasRetried = false
  /// The wait requested by the server, limited by the operation's cap, or chosen by a retry provider; nil if there is neither.
  public var retryAfter: Duration?
  /// Whether another attempt makes sense.
  public var verdict: Verdict = .stop(reason: "no retry provider decided")

  /// Creates an error.
  public init(_ cause: Cause, method: String, endpoint: HTTPEndpoint?, head: HTTPResponseHead? = nil) {
    self.cause = cause
    self.method = method
    self.endpoint = endpoint
    self.head = head
  }

  /// The name of the failure in history and in filters: the code of the transfer, the rejection or the result; or `request-failed`, `response-refused` or
  /// `result-failed` for an error without a code.
  public var code: String {
    switch cause {
    case .transfer(let error): error.code.rawValue
    case .request(let error): (error as? HTTPEncodingError)?.code.rawValue ?? "request-failed"
    case .rejected(let error): (error as? HTTPRejection)?.code ?? "response-refused"
    case .result(let error):
      (error as? HTTPResultError)?.code.rawValue ?? (error as? HTTPDownloadError)?.code.rawValue ?? "result-failed"
    }
  }

  /// The underlying error.
  public var underlying: any Error {
    switch cause {
    case .request(let error), .rejected(let error), .result(let error): error
    case .transfer(let error): error
    }
  }

  /// The failure, for people to read. Contains no user, password, query or field, and nothing of the body.
  public var description: String {
    switch cause {
    case .request(let error): "the request was not sent: \(error)"
    case .transfer, .rejected, .result: "\(underlying)"
    }
  }

  /// Why there must be no further retry: the reason of the verdict, or that the operation has retried; nil if a retry is allowed.
  public var retryStopReason: String? {
    if case .stop(let reason) = verdict { return reason }
    return hasRetried ? "the request has used up its own retries" : nil
  }

  /// The errno if the process had no descriptor, thread or memory for the request, and nothing of it was sent; otherwise nil.
  package var shortage: Int32? {
    if hasSent { return nil }
    return switch cause {
    case .transfer(let error): error.shortage
    case .result(let error as HTTPDownloadError): error.shortage
    case .request(let error as HTTPEncodingError): error.shortage
    case .request, .rejected, .result: nil
    }
  }

  /// The wakers that may bring another attempt forward.
  public var retryWakers: [any RetryWaker] {
    if case .retry(_, let wakers) = verdict { wakers } else { [] }
  }
}
