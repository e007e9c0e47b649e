/// The settings for all transfers of a client.
public struct HTTPClientConfiguration: Sendable, Hashable {
  /// The maximum number of simultaneous connections to one host and port; further transfers wait for one. Nil (the default) for no limit. Transfers over
  /// HTTP/2 share connections.
  public var connectionsPerHost: Int?
  /// The maximum number of simultaneous connections. Nil (the default) for no limit.
  public var connections: Int?
  /// The maximum number of idle connections to keep for reuse. Defaults to 128.
  public var idleConnections = 128
  /// How long to keep idle connections. A client without transfers for this long has no connections and no thread. Defaults to 90 s.
  public var idleTime = Duration.seconds(90)
  /// The proxies of transfers that do not name any. Defaults to those of the environment; see ``HTTPProxies/fromEnvironment(_:)``.
  public var proxies = HTTPProxies.fromEnvironment()
  /// The `User-Agent` of requests without one. Defaults to `penstock`.
  public var userAgent = "penstock"

  /// Creates a configuration with the defaults.
  public init() {}
}
