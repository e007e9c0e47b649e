/// What holds for all transfers of a client.
public struct HTTPClientConfiguration: Sendable, Hashable {
  /// The most connections to one host and port at a time; further transfers wait for one. Nil, the default, for no
  /// limit. Transfers over HTTP/2 share connections.
  public var connectionsPerHost: Int?
  /// The most connections at a time. Nil, the default, for no limit.
  public var connections: Int?
  /// How many connections that nothing uses are kept for what comes next. By default 128.
  public var idleConnections = 128
  /// How long they are kept. A client that has had nothing to do for so long has no connection and no thread any more.
  /// By default 90 s.
  public var idleTime = Duration.seconds(90)
  /// The proxies of transfers that do not name any. By default those of the environment; see
  /// ``HTTPProxies/fromEnvironment(_:)``.
  public var proxies = HTTPProxies.fromEnvironment()
  /// The `User-Agent` of requests without one. By default `penstock`.
  public var userAgent = "penstock"

  /// The configuration that is right for most.
  public init() {}
}
