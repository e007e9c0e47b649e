import HTTPTypes

/// The head of a response: everything known before its body.
public struct HTTPResponseHead: Sendable, Hashable {
  /// The status, never 1xx except 101.
  public var status: HTTPResponse.Status
  /// The fields, in order. For a decompressed body, `Content-Encoding` and `Content-Length` are as the server sent them.
  public var fields: HTTPFields
  /// The protocol version of the response.
  public var version: HTTPVersion
  /// The URL that answered, after any redirects. Without user and password.
  public var url: String
  /// The address of the peer, `127.0.0.1:8080` or `[::1]:8080`: the server or the proxy. Nil for a Unix socket.
  public var remoteAddress: String?

  /// Creates a head.
  public init(
    status: HTTPResponse.Status,
    fields: HTTPFields = [:],
    version: HTTPVersion = .http1_1,
    url: String,
    remoteAddress: String? = nil
  ) {
    self.status = status
    self.fields = fields
    self.version = version
    self.url = url
    self.remoteAddress = remoteAddress
  }
}

/// A version of HTTP.
public enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
  /// HTTP/1.0.
  case http1_0 = "1.0"
  /// HTTP/1.1.
  case http1_1 = "1.1"
  /// HTTP/2.
  case http2 = "2"
  /// HTTP/3.
  case http3 = "3"
}
