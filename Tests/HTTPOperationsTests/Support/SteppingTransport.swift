import HTTPOperations
import HTTPTypes
import Synchronization

/// Delivers numbered events, each in its own piece, and then nothing until it is cancelled.
final class SteppingTransport: HTTPTransport {
  private let count: Int
  private let taken = Mutex(0)
  private let end = AsyncStream<Void>.makeStream()

  init(count: Int = .max) { self.count = count }

  /// The number of events whose delivery began.
  var delivered: Int { taken.withLock { $0 } }

  /// Returns once the transfer has ended.
  func ended() async { for await _ in end.stream { break } }

  func transfer(
    _ request: HTTPTransferRequest, to receiver: some HTTPBodyReceiver
  ) async throws -> HTTPTransferResult {
    defer { end.continuation.yield() }
    let head = HTTPResponseHead(
      status: .ok, fields: [.contentType: "text/event-stream"], url: request.url)
    _ = try await receiver.receive(head)
    for number in 1...count {
      try Task.checkCancellation()
      taken.withLock { $0 = number }
      try await receiver.receive(Array("data: \(number)\n\n".utf8))
    }
    // Endless unless cancelled.
    for await _ in AsyncStream<Never>.makeStream().stream {}
    throw CancellationError()
  }
}
