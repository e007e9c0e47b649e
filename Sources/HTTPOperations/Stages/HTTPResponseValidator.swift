import HTTPTypes

/// Validates a response by its head, before its body is read.
public protocol HTTPResponseValidator: Sendable {
  /// Returns if the response is accepted.
  ///
  /// - Throws: ``HTTPRejection``, or another error, which becomes the outcome of the attempt. The transfer ends there, except for the beginning of the
  ///   body that a rejection asks for.
  func validate(_ head: HTTPResponseHead, of request: HTTPTransferRequest) async throws
}

/// Accepts certain statuses.
public struct HTTPStatusValidator: HTTPResponseValidator {
  /// The code of its rejections.
  public static let code = "http-status"

  /// The accepted statuses.
  public let statuses: Set<Int>
  /// A name for the accepted statuses in messages, as in `2xx`.
  public let expectation: String

  /// Creates a validator; by default for 200 to 299.
  public init(_ statuses: some Sequence<Int> = 200..<300, expectation: String = "2xx") {
    self.statuses = Set(statuses)
    self.expectation = expectation
  }

  /// Rejects any other status, with up to 16 KiB of its body.
  public func validate(_ head: HTTPResponseHead, of request: HTTPTransferRequest) async throws {
    guard !statuses.contains(head.status.code) else { return }
    throw HTTPRejection(
      code: Self.code,
      message: "\(HTTPURL.shown(head.url)) answered \(head.status.shown) to \(request.method.rawValue); "
        + "expected \(expectation)",
      bodyLimit: 16 * 1024)
  }
}

/// Accepts certain media types.
public struct HTTPMediaTypeValidator: HTTPResponseValidator {
  /// The code of its rejections.
  public static let code = "http-type"

  /// The accepted types.
  public let patterns: [MediaTypePattern]

  /// Creates a validator. A response without a body, such as 204, needs no type.
  public init(_ patterns: [MediaTypePattern]) {
    self.patterns = patterns
  }

  /// Rejects any other type, without reading the body.
  public func validate(_ head: HTTPResponseHead, of request: HTTPTransferRequest) async throws {
    guard head.status.code != 204, head.status.code != 304, request.method != .head else { return }
    let expected = patterns.map(\.description).joined(separator: ", ")
    let found: String
    if let value = head.fields[.contentType] {
      let type = MediaType(value)
      if let type, patterns.contains(where: { $0.matches(type) }) { return }
      found = type.map { "is \($0.essence)" } ?? "has an invalid type"
    } else {
      found = "has no type"
    }
    throw HTTPRejection(
      code: Self.code, message: "the response of \(HTTPURL.shown(head.url)) \(found); expected \(expected)")
  }
}

/// A validator made of a closure.
public struct HTTPResponseCheck: HTTPResponseValidator {
  private let check: @Sendable (HTTPResponseHead, HTTPTransferRequest) async throws -> Void

  /// Creates a validator that throws what `check` throws.
  public init(_ check: @escaping @Sendable (HTTPResponseHead, HTTPTransferRequest) async throws -> Void) {
    self.check = check
  }

  /// Calls the closure.
  public func validate(_ head: HTTPResponseHead, of request: HTTPTransferRequest) async throws {
    try await check(head, request)
  }
}

extension HTTPResponse.Status {
  /// The code and the phrase, as in `503 Service Unavailable`. The phrase is the standard's if the server sends none, as with HTTP/2.
  var shown: String {
    let phrase = reasonPhrase.isEmpty ? Self.phrases[code] : reasonPhrase
    return phrase.map { "\(code) \($0)" } ?? "\(code)"
  }

  /// The common phrases of RFC 9110.
  private static let phrases: [Int: String] = [
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
    412: "Precondition Failed", 413: "Content Too Large", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    422: "Unprocessable Content", 425: "Too Early", 429: "Too Many Requests", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}
