public import HTTPTypes

/// What of HTTP is worth another try, as tables.
public enum HTTPRetryTable {
  /// Statuses that tell of something that may be over soon.
  public static let statuses: Set<Int> = [
    408,  // Request Timeout
    425,  // Too Early
    429,  // Too Many Requests
    500,  // Internal Server Error
    502,  // Bad Gateway
    503,  // Service Unavailable
    504,  // Gateway Timeout
  ]

  /// Methods that do the same however often they are sent (RFC 9110, 9.2.2, and the QUERY draft).
  public static let idempotentMethods: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"]

  /// Whether sending a request of `method` twice does the same as once. Methods are case-sensitive; one that is not
  /// spelled as the standard does is not known.
  public static func isIdempotent(_ method: HTTPRequest.Method) -> Bool {
    idempotentMethods.contains(method.rawValue)
  }

  /// What a failed transfer tells.
  public enum Kind: Sendable, Hashable {
    /// There was no connection: nothing of the request was sent, and whoever was not reached may come back.
    case unreachable
    /// The connection did not hold, or did not answer in time. What was sent may have been done.
    case connection
    /// It will be the same next time.
    case permanent
  }

  /// The kind of a failed transfer. One that failed because the process lacked a descriptor, thread or memory may succeed at the next try, and sent nothing.
  static func kind(of error: HTTPTransferError) -> Kind {
    error.shortage == nil ? kind(of: error.code) : .unreachable
  }

  /// The kind of each failure of a transfer.
  public static func kind(of code: HTTPTransferError.Code) -> Kind {
    switch code {
    case .nameNotResolved, .proxyNotResolved, .cannotConnect, .connectTimeout: .unreachable
    case .proxyFailed, .firstByteTimeout, .idleTimeout, .totalTimeout, .tlsFailed, .connectionLost, .incompleteBody:
      .connection
    case .invalidURL, .unsupportedScheme, .invalidRequest, .tlsNotVerified, .tlsSettings, .protocolViolation,
      .badEncoding, .headTooLarge, .bodyTooLarge, .tooManyRedirects, .redirectRefused, .unreadableBody,
      .unwritableFile, .clientClosed, .internalFailure:
      .permanent
    }
  }
}
