/// Carries one request to a server and its response back.
///
/// This is the seam between the life cycle of a request (what is prepared, validated, classified and tried again) and
/// the network. ``HTTPClient`` is the one that speaks HTTP; tests of the life cycle put a transport of their own here.
public protocol HTTPTransport: Sendable {
  /// Makes one attempt: sends the request, follows redirects as its options say, and hands the response to `receiver`.
  ///
  /// The receiver is called by the calling task, never by two at once: first with the head of the final response, then,
  /// if it asked for them, with the chunks of the body in order. Nothing of the receiver's is called after this
  /// returns, and a file that it named is not written to any more.
  ///
  /// - Parameters:
  ///   - request: What goes onto the wire.
  ///   - receiver: Where the response goes.
  /// - Returns: The response, once its body has come whole.
  /// - Throws: ``HTTPTransferError`` when the transfer fails, `CancellationError` when the task is cancelled, and
  ///   whatever the receiver throws, which ends the transfer.
  func transfer(_ request: HTTPTransferRequest, to receiver: some HTTPBodyReceiver) async throws -> HTTPTransferResult
}
