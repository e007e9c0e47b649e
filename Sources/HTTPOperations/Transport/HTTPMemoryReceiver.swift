/// Accepts any response, and collects its body in memory.
public struct HTTPMemoryReceiver: HTTPBodyReceiver {
  /// Creates a receiver.
  public init() {}

  /// Accepts the response.
  public func receive(_ head: HTTPResponseHead) async throws -> HTTPBodyDestination { .memory }
}
