/// Takes any response, and its body into memory.
public struct HTTPMemoryReceiver: HTTPBodyReceiver {
  /// The receiver.
  public init() {}

  /// Accepts.
  public func receive(_ head: HTTPResponseHead) async throws -> HTTPBodyDestination { .memory }
}
