/// The proxies through which servers are reached.
///
/// Each is a URL, `http://user:password@host:port`, with the scheme `http`, `https`, `socks4`, `socks4a`, `socks5` (names are resolved locally) or
/// `socks5h` (names are resolved by the proxy). Nil is a direct connection.
public struct HTTPProxies: Sendable, Hashable {
  /// The proxy for `http` URLs.
  public var http: String?
  /// The proxy for `https` URLs, with `CONNECT`.
  public var https: String?
  /// Hosts that are reached directly: names (including all their subdomains), addresses and networks like `10.0.0.0/8`, separated by commas; `*` for all.
  public var bypass: String

  /// Creates proxies.
  public init(http: String? = nil, https: String? = nil, bypass: String = "") {
    self.http = http
    self.https = https
    self.bypass = bypass
  }

  /// Creates the same proxy for all URLs.
  public init(all: String, bypass: String = "") {
    self.init(http: all, https: all, bypass: bypass)
  }

  /// No proxy.
  public static let none = HTTPProxies()
}
