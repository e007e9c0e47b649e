/// Decides about a response when its head is there, and takes its body.
public protocol HTTPBodyReceiver: Sendable {
  /// Called once, with the head of the response, before any of the body.
  ///
  /// Meanwhile little more than ``HTTPTransferOptions/window`` of the body is taken from the network.
  ///
  /// - Returns: Where the body goes.
  /// - Throws: To refuse the body: the transfer ends at once with this error.
  func receive(_ head: HTTPResponseHead) async throws -> HTTPBodyDestination

  /// Called with each piece of the body, in order, if the body goes to ``HTTPBodyDestination/chunks``. Pieces are never
  /// empty, and of no particular size.
  ///
  /// While this runs, the transfer goes on until ``HTTPTransferOptions/window`` is full, and then stands still: a slow
  /// receiver slows the server down.
  ///
  /// - Throws: To end the transfer with this error.
  func receive(_ chunk: [UInt8]) async throws
}

extension HTTPBodyReceiver {
  /// Does nothing.
  public func receive(_ chunk: [UInt8]) async throws {}
}

/// Where the body of a response goes.
public enum HTTPBodyDestination: Sendable, Hashable {
  /// Into ``HTTPTransferResult/body``. Bounded by ``HTTPLimits/body``.
  case memory
  /// To ``HTTPBodyReceiver/receive(_:)-swift.method``, piece by piece, as fast as that takes it.
  case chunks
  /// To an open file, from its current offset on. The transport neither closes it nor makes it durable; it must stay
  /// open until the transfer has ended.
  case file(descriptor: Int32)
  /// Read and dropped, so that the connection can be used again. Bounded by ``HTTPLimits/body``.
  case nowhere
}
