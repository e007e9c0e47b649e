/// The proxies on the way to servers.
///
/// Each is a URL, `http://user:password@host:port`, of scheme `http`, `https`, `socks4`, `socks4a`, `socks5` (the name
/// is resolved here) or `socks5h` (it is resolved by the proxy). Nil is the direct way.
public struct HTTPProxies: Sendable, Hashable {
  /// For `http` URLs.
  public var http: String?
  /// For `https` URLs, by `CONNECT`.
  public var https: String?
  /// Hosts that are reached directly: names (which cover the names under them), addresses and networks like
  /// `10.0.0.0/8`, separated by commas; `*` for all.
  public var bypass: String

  /// Proxies.
  public init(http: String? = nil, https: String? = nil, bypass: String = "") {
    self.http = http
    self.https = https
    self.bypass = bypass
  }

  /// The same proxy for everything.
  public init(all: String, bypass: String = "") {
    self.init(http: all, https: all, bypass: bypass)
  }

  /// No proxy.
  public static let none = HTTPProxies()
}
