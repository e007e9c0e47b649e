import HTTPTypes
public import Operations

/// How a request is authorized.
public enum HTTPAuthorization: Sendable, Hashable {
  /// `Basic` (RFC 7617): a user and a password, in UTF-8. Anyone who sees the request can read them: use it only with `https`.
  case basic(user: String, password: String)
  /// `Bearer` (RFC 6750): a token.
  case bearer(String)
  /// `Basic` with the netrc file's login for the URL's host. No field is sent to a host without a login.
  case netrc(NetrcFile)

  /// Returns the value of `Authorization`; nil if there is none for `host`.
  ///
  /// - Throws: ``HTTPEncodingError`` of code `invalid-credentials`, which contains neither user nor password.
  public func fieldValue(for host: String) throws(HTTPEncodingError) -> String? {
    switch self {
    case .basic(let user, let password):
      guard !user.utf8.contains(UInt8(ascii: ":")) else {
        throw HTTPEncodingError(.invalidCredentials, "the user name of basic authentication cannot contain a colon")
      }
      guard (user + password).unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
        throw HTTPEncodingError(
          .invalidCredentials, "the user name or the password of basic authentication contains a control character")
      }
      return "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
    case .bearer(let token):
      guard Self.isToken(token) else {
        throw HTTPEncodingError(
          .invalidCredentials,
          "a bearer token can contain only letters, digits and -._~+/ and end with =: remove line breaks and other characters"
        )
      }
      return "Bearer \(token)"
    case .netrc(let file):
      guard let login = file.login(for: host) else { return nil }
      return try HTTPAuthorization.basic(user: login.user, password: login.password).fieldValue(for: host)
    }
  }

  /// `b64token` of RFC 6750, 2.1.
  private static func isToken(_ token: String) -> Bool {
    var body = Substring(token)
    while body.utf8.last == UInt8(ascii: "=") { body.removeLast() }
    return !body.isEmpty
      && body.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._~+/".utf8.contains($0)
        }
      }
  }
}

/// Adds `Authorization` to a request that does not have it.
public struct HTTPAuthorizationProcessor: HTTPRequestProcessor {
  /// The authorization to add.
  public let authorization: HTTPAuthorization

  /// Creates a processor.
  public init(_ authorization: HTTPAuthorization) {
    self.authorization = authorization
  }

  /// Returns the request with the field added.
  public func process(
    _ request: HTTPTransferRequest, in context: OperationContext
  ) async throws -> HTTPTransferRequest {
    guard request.fields[.authorization] == nil else { return request }
    var request = request
    if let value = try authorization.fieldValue(for: try HTTPURL(request.url).host) {
      request.fields[.authorization] = value
    }
    return request
  }
}
