import CLibCurl
import Glibc

/// A URL with scheme `http` or `https`, split into its parts.
///
/// It is parsed by libcurl, which also connects, so both always see the same host in it.
public struct HTTPURL: Sendable, Hashable {
  /// `http` or `https`.
  public let scheme: String
  /// The user before the host, decoded; nil if there is none.
  public var user: String?
  /// The password before the host, decoded; nil if there is none.
  public var password: String?
  /// The host in lower case: a name, an address, or an IPv6 address in brackets.
  public let host: String
  /// The port, or the scheme's default if the URL has none.
  public let port: UInt16
  /// The path, percent-encoded; begins with `/`.
  public private(set) var path: String
  /// The part after `?`, percent-encoded; nil if there is none.
  public private(set) var query: String?

  /// Parses a URL. A fragment is dropped, since it is never sent.
  ///
  /// - Parameter text: An absolute URL, percent-encoded where necessary.
  /// - Throws: ``HTTPEncodingError`` of code `invalid-url` or `unsupported-scheme`.
  public init(_ text: String) throws(HTTPEncodingError) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw HTTPEncodingError(
        .invalidURL, "a URL can contain only printable ASCII characters without spaces: write the others as %XX")
    }
    guard let handle = curl_url() else {
      let shortage = CurlLibrary.shortage
      var failure = HTTPEncodingError(.invalidURL, CurlLibrary.problem)
      failure.shortage = shortage
      throw failure
    }
    defer { curl_url_cleanup(handle) }
    let code = curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME))
    guard code == CURLUE_OK else {
      let reason = code == CURLUE_BAD_SCHEME ? "it has no scheme, such as https://" : Self.reason(code)
      throw HTTPEncodingError(.invalidURL, "this is not a URL: \(reason)")
    }
    let scheme = Self.part(CURLUPART_SCHEME, of: handle)?.lowercased() ?? ""
    guard scheme == "http" || scheme == "https" else {
      throw HTTPEncodingError(
        .unsupportedScheme, "the scheme of a URL is http or https, found '\(scheme.prefix(20))'")
    }
    self.scheme = scheme
    guard let host = Self.part(CURLUPART_HOST, of: handle)?.lowercased(), !host.isEmpty else {
      throw HTTPEncodingError(.invalidURL, "the URL has no host")
    }
    self.host = host
    guard let port = Self.part(CURLUPART_PORT, of: handle, UInt32(CURLU_DEFAULT_PORT)).flatMap({ UInt16($0) }),
      port > 0
    else { throw HTTPEncodingError(.invalidURL, "the port of a URL is a number from 1 to 65535") }
    self.port = port
    user = Self.part(CURLUPART_USER, of: handle, UInt32(CURLU_URLDECODE))
    password = Self.part(CURLUPART_PASSWORD, of: handle, UInt32(CURLU_URLDECODE))
    path = Self.part(CURLUPART_PATH, of: handle) ?? "/"
    query = Self.part(CURLUPART_QUERY, of: handle)
  }

  /// Appends parameters to the query. Values are encoded so that they cannot end their parameter: see ``PercentEncoding``.
  public mutating func append(query items: [HTTPQueryItem]) {
    guard !items.isEmpty else { return }
    let added = items.map(\.encoded).joined(separator: "&")
    query = query.map { $0.isEmpty ? added : "\($0)&\(added)" } ?? added
  }

  /// The whole URL, without its user and password, which belong in a field.
  public var text: String {
    "\(scheme)://\(authority)\(path)\(query.map { "?\($0)" } ?? "")"
  }

  /// The URL for messages and logs, without user, password and query.
  public var shown: String { "\(scheme)://\(authority)\(path)\(query == nil ? "" : "?…")" }

  /// The host, and the port unless it is the scheme's default.
  public var authority: String {
    port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
  }

  /// The endpoint of the URL.
  public var endpoint: HTTPEndpoint { HTTPEndpoint(scheme: scheme, host: host, port: port) }

  /// Returns `text` in a form for messages and logs, whether or not it is a URL.
  public static func shown(_ text: String) -> String {
    if let url = try? HTTPURL(text) { return url.shown }
    return "the URL"
  }

  private static func part(_ part: CURLUPart, of handle: OpaquePointer, _ flags: UInt32 = 0) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &value, flags) == CURLUE_OK, let value else { return nil }
    defer { curl_free(value) }
    return String(cString: value)
  }

  private static func reason(_ code: CURLUcode) -> String {
    curl_url_strerror(code).map { String(cString: $0).lowercased() } ?? "error \(code.rawValue)"
  }
}

/// The scheme, host and port that serve requests: the key for connections, budgets and early retries.
public struct HTTPEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// `http` or `https`.
  public var scheme: String
  /// The host, in lower case; an IPv6 address is in brackets.
  public var host: String
  /// The port.
  public var port: UInt16

  /// Creates an endpoint.
  public init(scheme: String, host: String, port: UInt16) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// For example `https://example.org:443`.
  public var description: String { "\(scheme)://\(host):\(port)" }
}
