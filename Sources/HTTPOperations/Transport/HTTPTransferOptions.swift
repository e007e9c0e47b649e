/// How a request is transferred: bounds, routes and trust.
public struct HTTPTransferOptions: Sendable, Hashable {
  /// How long each part may take.
  public var timeouts = HTTPTimeouts()
  /// How much the server may send.
  public var limits = HTTPLimits()
  /// What happens with a redirect.
  public var redirects = HTTPRedirects.follow()
  /// Whether the body is for the scheme, host and port of the URL alone: a redirect that would send it to another one
  /// fails with `redirect-refused`. By default false.
  public var keepsBodyAtOrigin = false
  /// The way to the server. Nil takes the one of the client, which by default is that of the environment.
  public var proxies: HTTPProxies?
  /// Whom to trust, and who we are.
  public var tls = HTTPTLSSettings()
  /// What to speak.
  public var version = HTTPVersionPolicy.automatic
  /// The path of a Unix socket to connect to in place of the URL's host, or nil. No proxy is used then.
  public var unixSocket: String?
  /// Whether the server is told that it may compress, and what it compressed is decompressed. By default true. Set it
  /// to false for ranges and for whatever must arrive as it is stored.
  public var decompresses = true
  /// About how many bytes of a body wait in memory for a receiver of chunks before the transfer stands still. By
  /// default 256 KiB. For a body that goes to a file it is at least 1 MiB.
  public var window = 256 * 1024

  /// The options that are right for most requests.
  public init() {}
}

/// How long each part of a transfer may take. Nil is for ever.
public struct HTTPTimeouts: Sendable, Hashable {
  /// For finding the address, connecting, and the handshake of TLS. By default 30 s.
  public var connect: Duration?
  /// From the end of the request to the first byte of the response. By default 60 s.
  public var firstByte: Duration?
  /// Without a byte in either direction while the request or the response body is under way. Does not run while the
  /// receiver keeps the transfer waiting. By default 60 s.
  public var idle: Duration?
  /// For everything, redirects included. By default none.
  public var total: Duration?

  /// Timeouts; each has its default.
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
  /// Bytes of one head. By default 64 KiB.
  public var head: Int
  /// Bytes of the body, counted after decompression; nil for no limit. It counts only where the body would fill memory;
  /// see ``file``. By default 64 MiB.
  public var body: Int64?
  /// The same for a body that goes to a file or, piece by piece, to the receiver. By default none.
  public var file: Int64?

  /// Limits; each has its default.
  public init(head: Int = 64 * 1024, body: Int64? = 64 * 1024 * 1024, file: Int64? = nil) {
    self.head = head
    self.body = body
    self.file = file
  }
}

/// What to speak to the server.
public enum HTTPVersionPolicy: String, Sendable, Hashable, CaseIterable {
  /// HTTP/2 where TLS agrees on it, else HTTP/1.1.
  case automatic
  /// HTTP/1.1 alone.
  case http1_1 = "1.1"
  /// HTTP/2 where TLS agrees on it; without TLS by asking for an upgrade. HTTP/1.1 where the server does not have it.
  case http2 = "2"
  /// HTTP/2 from the first byte, with and without TLS.
  case http2PriorKnowledge = "2-prior-knowledge"
}
