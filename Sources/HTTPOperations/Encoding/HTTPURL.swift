import CLibCurl
import Glibc

/// A URL of scheme `http` or `https`, in its parts.
///
/// It is read by libcurl, which also is who connects: both see the same host in it, whatever somebody writes.
public struct HTTPURL: Sendable, Hashable {
  /// `http` or `https`.
  public let scheme: String
  /// The user in front of the host, decoded; nil without one.
  public var user: String?
  /// The password in front of the host, decoded; nil without one.
  public var password: String?
  /// The host in lower case: a name, an address, or an IPv6 address in brackets.
  public let host: String
  /// The port, that of the scheme where the URL names none.
  public let port: UInt16
  /// The path, percent-encoded; begins with `/`.
  public private(set) var path: String
  /// What follows `?`, percent-encoded; nil without one.
  public private(set) var query: String?

  /// Reads a URL. A fragment is dropped, since it is never sent.
  ///
  /// - Parameter text: A whole URL, percent-encoded where it has to be.
  /// - Throws: ``HTTPEncodingError`` of code `invalid-url` or `unsupported-scheme`.
  public init(_ text: String) throws(HTTPEncodingError) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw HTTPEncodingError(
        .invalidURL, "a URL has only printable ASCII characters and no spaces: write the others as %XX")
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
      throw HTTPEncodingError(.invalidURL, "this is no URL: \(reason)")
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

  /// Adds parameters to the end of the query. No value can end its parameter: see ``PercentEncoding``.
  public mutating func append(query items: [HTTPQueryItem]) {
    guard !items.isEmpty else { return }
    let added = items.map(\.encoded).joined(separator: "&")
    query = query.map { $0.isEmpty ? added : "\($0)&\(added)" } ?? added
  }

  /// The whole URL, without its user and password, which belong into a field.
  public var text: String {
    "\(scheme)://\(authority)\(path)\(query.map { "?\($0)" } ?? "")"
  }

  /// The URL for messages and logs: without user, password and query.
  public var shown: String { "\(scheme)://\(authority)\(path)\(query == nil ? "" : "?…")" }

  /// The host, and the port where it is not that of the scheme.
  public var authority: String {
    port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
  }

  /// Who answers there.
  public var endpoint: HTTPEndpoint { HTTPEndpoint(scheme: scheme, host: host, port: port) }

  /// `text` for messages and logs, whether or not it is a URL.
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

/// Who answers requests: what connections, budgets and early retries are kept by.
public struct HTTPEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// `http` or `https`.
  public var scheme: String
  /// The host, in lower case; an IPv6 address is in brackets.
  public var host: String
  /// The port.
  public var port: UInt16

  /// An endpoint.
  public init(scheme: String, host: String, port: UInt16) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// As in `https://example.org:443`.
  public var description: String { "\(scheme)://\(host):\(port)" }
}
