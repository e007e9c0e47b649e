import HTTPTypes

/// A request as it is sent.
public struct HTTPTransferRequest: Sendable, Hashable {
  /// The method, sent in this spelling.
  public var method: HTTPRequest.Method
  /// The absolute URL, percent-encoded, with scheme `http` or `https`. A user and password in it become a basic `Authorization`.
  public var url: String
  /// The fields of the head. The transport sets `Host`, `Content-Length`, `Transfer-Encoding`, `Connection` and, unless given, `User-Agent` and
  /// `Accept-Encoding`. Of these, `Host`, `User-Agent` and `Accept-Encoding` may be given; the others are dropped.
  public var fields: HTTPFields
  /// The body.
  public var body: HTTPTransferBody
  /// The options of the transfer.
  public var options: HTTPTransferOptions {
    get { sharedOptions.value }
    _modify { yield &sharedOptions.value }
  }

  private var sharedOptions: CopyOnWrite<HTTPTransferOptions>

  /// Creates a request.
  public init(
    method: HTTPRequest.Method = .get,
    url: String,
    fields: HTTPFields = [:],
    body: HTTPTransferBody = .none,
    options: HTTPTransferOptions = HTTPTransferOptions()
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    sharedOptions = CopyOnWrite(options)
  }

  /// Whether the request is safe to send twice, because of its method or an `Idempotency-Key`.
  public var isIdempotent: Bool { HTTPRetryTable.isIdempotent(method) || fields[.idempotencyKey] != nil }
}

/// The body of a request.
public enum HTTPTransferBody: Sendable, Hashable {
  /// No body. With the methods `POST`, `PUT` and `PATCH`, which expect one, `Content-Length: 0` is sent.
  case none
  /// These bytes.
  case bytes([UInt8])
  /// The content of a file, from `offset` to its end when the transfer starts. Opened again for each transfer.
  case file(path: String, offset: Int64 = 0)
}
