public import HTTPTypes

/// The HTTP statuses, methods and failures to retry, as tables.
public enum HTTPRetryTable {
  /// Statuses that indicate a temporary condition.
  public static let statuses: Set<Int> = [
    408,  // Request Timeout
    425,  // Too Early
    429,  // Too Many Requests
    500,  // Internal Server Error
    502,  // Bad Gateway
    503,  // Service Unavailable
    504,  // Gateway Timeout
  ]

  /// Methods with the same effect however often they are sent (RFC 9110, 9.2.2, and the QUERY draft).
  public static let idempotentMethods: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY"]

  /// Returns whether sending a request with `method` twice has the same effect as sending it once. Methods are case-sensitive; one not spelled as in the
  /// standard is unknown.
  public static func isIdempotent(_ method: HTTPRequest.Method) -> Bool {
    idempotentMethods.contains(method.rawValue)
  }

  /// The meaning of a failed transfer for a retry.
  public enum Kind: Sendable, Hashable {
    /// There was no connection: nothing of the request was sent, and the endpoint may become reachable.
    case unreachable
    /// The connection was lost, or there was no response in time. The request may have been processed.
    case connection
    /// The same failure would occur again.
    case permanent
  }

  /// Returns the kind of a failed transfer. A failure because the process lacked a descriptor, thread or memory sent nothing, and may be temporary.
  static func kind(of error: HTTPTransferError) -> Kind {
    error.shortage == nil ? kind(of: error.code) : .unreachable
  }

  /// Returns the kind of each failure code.
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
