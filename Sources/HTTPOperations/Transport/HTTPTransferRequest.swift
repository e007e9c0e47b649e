import HTTPTypes

/// A request as it goes onto the wire.
public struct HTTPTransferRequest: Sendable, Hashable {
  /// The method, as it is; sent in this spelling.
  public var method: HTTPRequest.Method
  /// The whole URL, percent-encoded, of scheme `http` or `https`. A user and password in it become an `Authorization`
  /// of kind basic.
  public var url: String
  /// The fields of the head. `Host`, `Content-Length`, `Transfer-Encoding`, `Connection` and, unless given,
  /// `User-Agent` and `Accept-Encoding` are the transport's business; of these `Host`, `User-Agent` and
  /// `Accept-Encoding` may be given, the others are dropped.
  public var fields: HTTPFields
  /// What is sent after the head.
  public var body: HTTPTransferBody
  /// How it is transferred.
  public var options: HTTPTransferOptions {
    get { sharedOptions.value }
    _modify { yield &sharedOptions.value }
  }

  private var sharedOptions: CopyOnWrite<HTTPTransferOptions>

  /// A request.
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

  /// Whether it may be done twice: by its method, or because it has an `Idempotency-Key`.
  public var isIdempotent: Bool { HTTPRetryTable.isIdempotent(method) || fields[.idempotencyKey] != nil }
}

/// The body of a request.
public enum HTTPTransferBody: Sendable, Hashable {
  /// None at all. With the methods `POST`, `PUT` and `PATCH`, which expect one, `Content-Length: 0` is sent.
  case none
  /// These bytes.
  case bytes([UInt8])
  /// The content of a file, from `offset` to its end as it is when the transfer starts. Opened anew for each transfer.
  case file(path: String, offset: Int64 = 0)
}
