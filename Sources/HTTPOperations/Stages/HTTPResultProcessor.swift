public import Operations

/// Converts a response to the operation's value: decides where the body goes, and how it is processed.
///
/// A processor is a value shared by many attempts; the state of one attempt is in its sink.
public protocol HTTPResultProcessor<Value>: Sendable {
  /// The value that the operation produces.
  associatedtype Value: Sendable

  /// Begins an attempt.
  ///
  /// - Parameters:
  ///   - request: The request about to be sent; it may be changed, for example to resume a download.
  ///   - context: The context of the run.
  /// - Returns: The sink that receives the response of this attempt.
  /// - Throws: An error that ends the attempt without a transfer.
  func begin(
    _ request: inout HTTPTransferRequest, in context: OperationContext
  ) async throws -> any HTTPResultSink<Value>
}

/// Receives the response of one attempt.
public protocol HTTPResultSink<Value>: Sendable {
  /// The value that the operation produces.
  associatedtype Value: Sendable

  /// Inspects the head before the validators do. Does nothing by default.
  ///
  /// - Throws: ``HTTPRestart`` to send another request immediately, within the same attempt.
  func admit(_ head: HTTPResponseHead) async throws

  /// Returns where the body goes, after the validators have accepted the head. Memory by default.
  func destination(for head: HTTPResponseHead) async throws -> HTTPBodyDestination

  /// Receives a piece of the body, if the destination is `chunks`.
  func receive(_ chunk: [UInt8]) async throws

  /// Produces the value of the complete response.
  func finish(_ result: HTTPTransferResult) async throws -> Value

  /// Called when the attempt has failed: keeps what another attempt can use, and releases the rest. Called at most once, and never after ``finish(_:)``
  /// returned.
  func abandon() async
}

extension HTTPResultSink {
  /// Does nothing.
  public func admit(_ head: HTTPResponseHead) async throws {}
  /// Returns memory.
  public func destination(for head: HTTPResponseHead) async throws -> HTTPBodyDestination { .memory }
  /// Does nothing.
  public func receive(_ chunk: [UInt8]) async throws {}
  /// Does nothing.
  public func abandon() async {}
}

/// Thrown to discard the response and send another request immediately, for example for a download that must start again.
public struct HTTPRestart: Error, Sendable, Hashable {
  /// The reason, for the log.
  public var reason: String

  /// Creates a restart.
  public init(reason: String) {
    self.reason = reason
  }
}
