/// A complete response.
public struct HTTPTransferResult: Sendable, Hashable {
  /// The head that was passed to the receiver.
  public var head: HTTPResponseHead
  /// The body, if it went to ``HTTPBodyDestination/memory``; otherwise empty.
  public var body: [UInt8]
  /// The statistics of the transfer.
  public var statistics: HTTPTransferStatistics

  /// Creates a result.
  public init(head: HTTPResponseHead, body: [UInt8] = [], statistics: HTTPTransferStatistics = HTTPTransferStatistics())
  {
    self.head = head
    self.body = body
    self.statistics = statistics
  }
}

/// The statistics of a transfer. Times are measured from the beginning of the last request, after any redirects; nil if that phase was not reached, or the
/// connection was reused.
public struct HTTPTransferStatistics: Sendable, Hashable {
  /// The time until the address was resolved.
  public var nameLookup: Duration?
  /// The time until the connection was established.
  public var connect: Duration?
  /// The time until the TLS handshake was complete.
  public var handshake: Duration?
  /// The time until the first byte of the response.
  public var firstByte: Duration?
  /// The total time, including redirects.
  public var total: Duration = .zero
  /// The number of bytes of the request's body that were sent.
  public var bytesSent: Int64 = 0
  /// The number of bytes of the response's body received from the network, as encoded by the server.
  public var bytesReceived: Int64 = 0
  /// The number of bytes of the response's body that were delivered.
  public var bytesDelivered: Int64 = 0
  /// Whether the request used an existing connection.
  public var reusedConnection = false
  /// The number of redirects followed.
  public var redirects = 0

  /// Creates empty statistics.
  public init() {}
}
