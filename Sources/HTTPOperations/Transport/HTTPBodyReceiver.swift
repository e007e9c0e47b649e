/// Decides where a response's body goes once its head has arrived, and receives it.
public protocol HTTPBodyReceiver: Sendable {
  /// Called once, with the head of the response, before any of the body.
  ///
  /// Meanwhile, little more than ``HTTPTransferOptions/window`` of the body is read from the network.
  ///
  /// - Returns: Where the body goes.
  /// - Throws: An error to refuse the body, which ends the transfer immediately.
  func receive(_ head: HTTPResponseHead) async throws -> HTTPBodyDestination

  /// Called with each piece of the body, in order, if the body goes to ``HTTPBodyDestination/chunks``. Pieces are never empty, and of no particular size.
  ///
  /// While this runs, the transfer continues until ``HTTPTransferOptions/window`` is full, and is then paused: a slow receiver slows the server down.
  ///
  /// - Throws: An error to end the transfer.
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
  /// To `receive(_:)`, piece by piece, at the receiver's speed.
  case chunks
  /// To an open file, from its current offset. The transport neither closes nor syncs it; it must stay open until the transfer has ended.
  case file(descriptor: Int32)
  /// Read and discarded, so that the connection can be reused. Bounded by ``HTTPLimits/body``.
  case nowhere
}
