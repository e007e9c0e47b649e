public import Operations

/// Prepares a request before each attempt: signs it, adds a fresh token or other fields.
///
/// Each attempt starts from the operation's original request, so that a processor never sees its own changes.
public protocol HTTPRequestProcessor: Sendable {
  /// Prepares the request.
  ///
  /// - Parameters:
  ///   - request: The original request, as changed by the preceding processors.
  ///   - context: The context of the run; its `operationRetryIndex` is the index of the attempt.
  /// - Returns: The request to send.
  /// - Throws: An error that ends the attempt without a transfer. By default it is not retried.
  func process(_ request: HTTPTransferRequest, in context: OperationContext) async throws -> HTTPTransferRequest
}

/// A request processor made of a closure.
public struct HTTPRequestTransform: HTTPRequestProcessor {
  private let transform: @Sendable (HTTPTransferRequest, OperationContext) async throws -> HTTPTransferRequest

  /// Creates a processor that calls `transform`.
  public init(
    _ transform: @escaping @Sendable (HTTPTransferRequest, OperationContext) async throws -> HTTPTransferRequest
  ) {
    self.transform = transform
  }

  /// Returns the request as changed by the closure.
  public func process(
    _ request: HTTPTransferRequest, in context: OperationContext
  ) async throws -> HTTPTransferRequest {
    try await transform(request, context)
  }
}
