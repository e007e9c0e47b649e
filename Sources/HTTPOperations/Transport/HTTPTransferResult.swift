/// A response that has come whole.
public struct HTTPTransferResult: Sendable, Hashable {
  /// The head that the receiver was given.
  public var head: HTTPResponseHead
  /// The body, if it went to ``HTTPBodyDestination/memory``; else empty.
  public var body: [UInt8]
  /// What the transfer took.
  public var statistics: HTTPTransferStatistics

  /// A result.
  public init(head: HTTPResponseHead, body: [UInt8] = [], statistics: HTTPTransferStatistics = HTTPTransferStatistics())
  {
    self.head = head
    self.body = body
    self.statistics = statistics
  }
}

/// What a transfer took. Times are of the last request where redirects were followed, from when it was begun; nil where
/// it did not come to it, or where the connection was there already.
public struct HTTPTransferStatistics: Sendable, Hashable {
  /// Until the address was known.
  public var nameLookup: Duration?
  /// Until there was a connection.
  public var connect: Duration?
  /// Until the handshake of TLS was over.
  public var handshake: Duration?
  /// Until the first byte of the response.
  public var firstByte: Duration?
  /// From the beginning to the end, redirects included.
  public var total: Duration = .zero
  /// Bytes of the request's body that were sent.
  public var bytesSent: Int64 = 0
  /// Bytes of the response's body that came over the network, as the server encoded it.
  public var bytesReceived: Int64 = 0
  /// Bytes of the response's body that were delivered.
  public var bytesDelivered: Int64 = 0
  /// Whether the request went over a connection that was there already.
  public var reusedConnection = false
  /// How many redirects were followed.
  public var redirects = 0

  /// Nothing yet.
  public init() {}
}
