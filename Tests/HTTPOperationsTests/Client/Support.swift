import HTTPOperations
import HTTPTypes
import Synchronization
import Testing

/// Collects what it receives, and calls the test's closures.
final class TestReceiver: HTTPBodyReceiver {
  private let destination: HTTPBodyDestination
  private let onHead: @Sendable (HTTPResponseHead) async throws -> Void
  private let onChunk: @Sendable ([UInt8]) async throws -> Void
  private let taken = Mutex<[UInt8]>([])

  init(
    _ destination: HTTPBodyDestination = .chunks,
    onHead: @escaping @Sendable (HTTPResponseHead) async throws -> Void = { _ in },
    onChunk: @escaping @Sendable ([UInt8]) async throws -> Void = { _ in }
  ) {
    self.destination = destination
    self.onHead = onHead
    self.onChunk = onChunk
  }

  var bytes: [UInt8] { taken.withLock { $0 } }

  func receive(_ head: HTTPResponseHead) async throws -> HTTPBodyDestination {
    try await onHead(head)
    return destination
  }

  func receive(_ chunk: [UInt8]) async throws {
    taken.withLock { $0 += chunk }
    try await onChunk(chunk)
  }
}

extension HTTPTransport {
  /// Returns the body of the response as text.
  func text(_ request: HTTPTransferRequest) async throws -> String {
    String(decoding: try await transfer(request, to: HTTPMemoryReceiver()).body, as: UTF8.self)
  }

  /// Returns the failure of a request; nil if it succeeds.
  func failure(_ request: HTTPTransferRequest, to receiver: some HTTPBodyReceiver = HTTPMemoryReceiver()) async
    -> HTTPTransferError?
  {
    do {
      _ = try await transfer(request, to: receiver)
      return nil
    } catch let error as HTTPTransferError {
      return error
    } catch {
      Issue.record("not an error of the transport: \(error)")
      return nil
    }
  }
}
