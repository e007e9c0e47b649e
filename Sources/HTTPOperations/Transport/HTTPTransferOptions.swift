/// How a request is transferred: limits, routes and trust.
public struct HTTPTransferOptions: Sendable, Hashable {
  /// The timeout of each phase.
  public var timeouts = HTTPTimeouts()
  /// How much the server may send.
  public var limits = HTTPLimits()
  /// How redirects are handled.
  public var redirects = HTTPRedirects.follow()
  /// Whether the body is only for the scheme, host and port of the URL: a redirect that would send it elsewhere fails with `redirect-refused`. Defaults to
  /// false.
  public var keepsBodyAtOrigin = false
  /// The proxies. Nil uses those of the client, which default to the environment's.
  public var proxies: HTTPProxies?
  /// The trusted authorities and the client's own certificate.
  public var tls = HTTPTLSSettings()
  /// The protocol version.
  public var version = HTTPVersionPolicy.automatic
  /// The path of a Unix socket to connect to instead of the URL's host, or nil. No proxy is used with it.
  public var unixSocket: String?
  /// Whether the server may compress the body, which is then decompressed. Defaults to true. Set it to false for ranges, and for content that must be
  /// received as it is stored.
  public var decompresses = true
  /// Approximately how many bytes of the body are buffered for a receiver of chunks before the transfer is paused. Defaults to 256 KiB. For a body that
  /// goes to a file it is at least 1 MiB.
  public var window = 256 * 1024

  /// Creates options that suit most requests.
  public init() {}
}

/// The timeout of each phase of a transfer. Nil is unlimited.
public struct HTTPTimeouts: Sendable, Hashable {
  /// For the name lookup, the connection and the TLS handshake. Defaults to 30 s.
  public var connect: Duration?
  /// From the end of the request to the first byte of the response. Defaults to 60 s.
  public var firstByte: Duration?
  /// The longest time without a byte in either direction while the request or the response body is transferred. Does not run while the receiver pauses the
  /// transfer. Defaults to 60 s.
  public var idle: Duration?
  /// For the whole transfer, including redirects. Defaults to none.
  public var total: Duration?

  /// Creates timeouts; each has its default.
  public init(
    connect: Duration? = .seconds(30),
    firstByte: Duration? = .seconds(60),
    idle: Duration? = .seconds(60),
    total: Duration? = nil
  ) {
    self.connect = connect
    self.firstByte = firstByte
    self.idle = idle
    self.total = total
  }
}

/// How much a server may send.
public struct HTTPLimits: Sendable, Hashable {
  /// The maximum size of one head in bytes. Defaults to 64 KiB.
  public var head: Int
  /// The maximum size of the body in bytes, after decompression; nil for no limit. It applies only to a body in memory; see ``file``. Defaults to 64 MiB.
  public var body: Int64?
  /// The same for a body that goes to a file or, piece by piece, to the receiver. Defaults to none.
  public var file: Int64?

  /// Creates limits; each has its default.
  public init(head: Int = 64 * 1024, body: Int64? = 64 * 1024 * 1024, file: Int64? = nil) {
    self.head = head
    self.body = body
    self.file = file
  }
}

/// The protocol version to use.
public enum HTTPVersionPolicy: String, Sendable, Hashable, CaseIterable {
  /// HTTP/2 if negotiated by TLS, otherwise HTTP/1.1.
  case automatic
  /// Only HTTP/1.1.
  case http1_1 = "1.1"
  /// HTTP/2 if negotiated by TLS, or by an upgrade without TLS. HTTP/1.1 if the server does not support it.
  case http2 = "2"
  /// HTTP/2 from the first byte, with and without TLS.
  case http2PriorKnowledge = "2-prior-knowledge"
}
