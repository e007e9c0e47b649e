public import Operations

/// Prepares a request before each attempt: signs it, gives it a fresh token, adds fields.
///
/// Each attempt starts from the operation's original request, so that a processor never meets its own work.
public protocol HTTPRequestProcessor: Sendable {
  /// Prepares the request.
  ///
  /// - Parameters:
  ///   - request: The original request, as the processors before have left it.
  ///   - context: That of the run; `operationRetryIndex` tells which attempt it is.
  /// - Returns: The request as it shall be sent.
  /// - Throws: What ends the attempt without a transfer. By default it is not tried again.
  func process(_ request: HTTPTransferRequest, in context: OperationContext) async throws -> HTTPTransferRequest
}

/// A request processor that is a closure.
public struct HTTPRequestTransform: HTTPRequestProcessor {
  private let transform: @Sendable (HTTPTransferRequest, OperationContext) async throws -> HTTPTransferRequest

  /// A processor that does what `transform` does.
  public init(
    _ transform: @escaping @Sendable (HTTPTransferRequest, OperationContext) async throws -> HTTPTransferRequest
  ) {
    self.transform = transform
  }

  /// What the closure makes of the request.
  public func process(
    _ request: HTTPTransferRequest, in context: OperationContext
  ) async throws -> HTTPTransferRequest {
    try await transform(request, context)
  }
}
