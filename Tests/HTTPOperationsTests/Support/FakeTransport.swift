import HTTPOperations
import HTTPTypes
import Synchronization

/// A transport that gives the test's answers, one for each transfer.
final class FakeTransport: HTTPTransport {
  /// The result of one transfer.
  enum Answer: Sendable {
    case response(Int, HTTPFields = [:], [UInt8] = [])
    case failure(HTTPTransferError.Code)
    /// A response whose connection is closed after `body`.
    case cut(Int, HTTPFields = [:], [UInt8])
  }

  private let state: Mutex<(answers: [Answer], requests: [HTTPTransferRequest], bodies: Int)>
  private let last: Answer

  /// Gives the answers in order, and then repeats the last one.
  convenience init(_ answers: Answer...) {
    self.init(all: answers)
  }

  /// Gives the answers in order, and then repeats the last one.
  init(all answers: [Answer]) {
    state = Mutex((answers, [], 0))
    last = answers.last ?? .response(200)
  }

  /// The requests that were sent, in order.
  var requests: [HTTPTransferRequest] { state.withLock { $0.requests } }
  /// The number of bodies of which reading began.
  var bodies: Int { state.withLock { $0.bodies } }

  func transfer(
    _ request: HTTPTransferRequest, to receiver: some HTTPBodyReceiver
  ) async throws -> HTTPTransferResult {
    try Task.checkCancellation()
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answers.isEmpty ? last : state.answers.removeFirst()
    }
    switch answer {
    case .failure(let code): throw HTTPTransferError(code, "the transfer failed: \(code.rawValue)")
    case .response(let status, let fields, let body):
      let head = HTTPResponseHead(status: .init(code: status), fields: fields, url: request.url)
      return HTTPTransferResult(head: head, body: try await deliver(body, head, to: receiver))
    case .cut(let status, let fields, let body):
      let head = HTTPResponseHead(status: .init(code: status), fields: fields, url: request.url)
      _ = try await deliver(body, head, to: receiver)
      throw HTTPTransferError(.connectionLost, "the connection ended")
    }
  }

  private func deliver(
    _ body: [UInt8], _ head: HTTPResponseHead, to receiver: some HTTPBodyReceiver
  ) async throws -> [UInt8] {
    let destination = try await receiver.receive(head)
    state.withLock { $0.bodies += 1 }
    switch destination {
    case .memory: return body
    case .nowhere: return []
    case .chunks:
      // Pieces of three bytes, to test the code that collects them.
      for start in stride(from: 0, to: body.count, by: 3) {
        try await receiver.receive(Array(body[start..<min(start + 3, body.count)]))
      }
      return []
    case .file(let descriptor):
      try write(body, to: descriptor)
      return []
    }
  }
}
