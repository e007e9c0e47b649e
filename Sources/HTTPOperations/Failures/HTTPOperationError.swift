public import Operations

/// Why an attempt of an HTTP operation failed, and whether another makes sense.
public struct HTTPOperationError: RetryHinting, Sendable, CustomStringConvertible {
  /// Where it failed.
  public enum Cause: Sendable {
    /// A request processor failed, or the request cannot be written down.
    case request(any Error)
    /// The transfer failed.
    case transfer(HTTPTransferError)
    /// A validator did not welcome the response: an ``HTTPRejection``, or a validator's own error.
    case rejected(any Error)
    /// The body could not be made a value, or a file.
    case result(any Error)
  }

  /// Whether another attempt makes sense.
  public enum Verdict: Sendable {
    /// It does, for this reason. The wakers may bring it forward.
    case retry(reason: String, wakers: [any RetryWaker])
    /// It does not, for this reason.
    case stop(reason: String)
  }

  /// Where it failed.
  public var cause: Cause
  /// The method of the request.
  public var method: String
  /// Whom the request was for; nil where its URL cannot be read.
  public var endpoint: HTTPEndpoint?
  /// The head of the response; nil where there was none.
  public var head: HTTPResponseHead?
  /// The beginning of the body of a response that was rejected.
  public var body: [UInt8] = []
  /// Whether `body` is all of it: it came to its end, and was not cut off here.
  public var hasWholeBody = false
  /// Whether an earlier request of the same attempt was sent.
  var hasSent = false
  /// Whether the operation has retried as often as it was to: no retry around it shall add to that.
  public var hasRetried = false
  /// How long the server asks to wait, bounded by the operation's cap, or a retry provider has chosen to; nil where
  /// neither does.
  public var retryAfter: Duration?
  /// Whether another attempt makes sense.
  public var verdict: Verdict = .stop(reason: "nobody has an opinion")

  /// A failure.
  public init(_ cause: Cause, method: String, endpoint: HTTPEndpoint?, head: HTTPResponseHead? = nil) {
    self.cause = cause
    self.method = method
    self.endpoint = endpoint
    self.head = head
  }

  /// Names the failure in history and in filters: the code of the transfer, of the rejection, of the result; or
  /// `request-failed`, `response-refused` or `result-failed` for an error that has none.
  public var code: String {
    switch cause {
    case .transfer(let error): error.code.rawValue
    case .request(let error): (error as? HTTPEncodingError)?.code.rawValue ?? "request-failed"
    case .rejected(let error): (error as? HTTPRejection)?.code ?? "response-refused"
    case .result(let error):
      (error as? HTTPResultError)?.code.rawValue ?? (error as? HTTPDownloadError)?.code.rawValue ?? "result-failed"
    }
  }

  /// The error behind it.
  public var underlying: any Error {
    switch cause {
    case .request(let error), .rejected(let error), .result(let error): error
    case .transfer(let error): error
    }
  }

  /// The failure, for people. Holds no user, password, query or field, and nothing of the body.
  public var description: String {
    switch cause {
    case .request(let error): "the request was not sent: \(error)"
    case .transfer, .rejected, .result: "\(underlying)"
    }
  }

  /// Why no retry shall follow: the reason of the verdict, or that the operation has retried; nil where one may.
  public var retryStopReason: String? {
    if case .stop(let reason) = verdict { return reason }
    return hasRetried ? "the request has used its own retries" : nil
  }

  /// The error number where the process had no descriptor, thread or memory for the request, and nothing of it was sent; else nil.
  package var shortage: Int32? {
    if hasSent { return nil }
    return switch cause {
    case .transfer(let error): error.shortage
    case .result(let error as HTTPDownloadError): error.shortage
    case .request(let error as HTTPEncodingError): error.shortage
    case .request, .rejected, .result: nil
    }
  }

  /// What may bring another attempt forward.
  public var retryWakers: [any RetryWaker] {
    if case .retry(_, let wakers) = verdict { wakers } else { [] }
  }
}
