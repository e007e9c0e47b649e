import HTTPTypes

/// The head of a response: what is known before its body.
public struct HTTPResponseHead: Sendable, Hashable {
  /// The status, never one of 1xx except 101.
  public var status: HTTPResponse.Status
  /// The fields, in their order. Of a body that was decompressed, `Content-Encoding` and `Content-Length` are as the
  /// server sent them.
  public var fields: HTTPFields
  /// What the server spoke.
  public var version: HTTPVersion
  /// The URL that answered: that of the request, or where redirects led to. Without user and password.
  public var url: String
  /// The other end of the connection, `127.0.0.1:8080` or `[::1]:8080`: the server or the proxy. Nil for a Unix socket.
  public var remoteAddress: String?

  /// A head.
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
