public import Operations

/// Makes the operation's value of a response: decides where the body goes, and what becomes of it.
///
/// A processor is a value that many attempts share; what one attempt needs is in its sink.
public protocol HTTPResultProcessor<Value>: Sendable {
  /// What the operation produces.
  associatedtype Value: Sendable

  /// Begins an attempt.
  ///
  /// - Parameters:
  ///   - request: What is about to be sent; may be changed, as a resumed download does.
  ///   - context: That of the run.
  /// - Returns: What takes the response of this attempt.
  /// - Throws: What ends the attempt without a transfer.
  func begin(
    _ request: inout HTTPTransferRequest, in context: OperationContext
  ) async throws -> any HTTPResultSink<Value>
}

/// Takes the response of one attempt.
public protocol HTTPResultSink<Value>: Sendable {
  /// What the operation produces.
  associatedtype Value: Sendable

  /// Looks at the head before the validators do. Does nothing by default.
  ///
  /// - Throws: ``HTTPRestart`` to send another request at once, within the same attempt.
  func admit(_ head: HTTPResponseHead) async throws

  /// Where the body goes, once the validators have welcomed the head. Into memory by default.
  func destination(for head: HTTPResponseHead) async throws -> HTTPBodyDestination

  /// Takes a piece of the body, where the destination is `chunks`.
  func receive(_ chunk: [UInt8]) async throws

  /// Makes the value of the whole response.
  func finish(_ result: HTTPTransferResult) async throws -> Value

  /// The attempt has failed: keeps what another attempt can use, and lets go of the rest. Called at most once, and
  /// never after ``finish(_:)`` returned.
  func abandon() async
}

extension HTTPResultSink {
  /// Does nothing.
  public func admit(_ head: HTTPResponseHead) async throws {}
  /// Into memory.
  public func destination(for head: HTTPResponseHead) async throws -> HTTPBodyDestination { .memory }
  /// Does nothing.
  public func receive(_ chunk: [UInt8]) async throws {}
  /// Does nothing.
  public func abandon() async {}
}

/// The response is not of use, and another request has to be sent at once: a download that has to start again.
public struct HTTPRestart: Error, Sendable, Hashable {
  /// Why, for the log.
  public var reason: String

  /// A restart.
  public init(reason: String) {
    self.reason = reason
  }
}
