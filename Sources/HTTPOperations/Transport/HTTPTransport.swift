/// Sends one request to a server and receives its response.
///
/// This is the seam between the life cycle of a request (preparing, validating, classifying and retrying) and the network. ``HTTPClient`` is the
/// implementation that speaks HTTP; tests of the life cycle use their own transport.
public protocol HTTPTransport: Sendable {
  /// Makes one attempt: sends the request, follows redirects according to its options, and passes the response to `receiver`.
  ///
  /// The receiver is called by the calling task, never concurrently: first with the head of the final response, then, if it asked for them, with the
  /// chunks of the body in order. After this returns, the receiver is not called again, and its file is not written to.
  ///
  /// - Parameters:
  ///   - request: The request to send.
  ///   - receiver: The receiver of the response.
  /// - Returns: The response, once its body is complete.
  /// - Throws: ``HTTPTransferError`` if the transfer fails, `CancellationError` if the task is cancelled, and any error that the receiver throws, which
  ///   ends the transfer.
  func transfer(_ request: HTTPTransferRequest, to receiver: some HTTPBodyReceiver) async throws -> HTTPTransferResult
}
