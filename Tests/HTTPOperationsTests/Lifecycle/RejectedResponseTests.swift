import HTTPOperations
import HTTPTypes
import Operations
import OperationsTesting
import Testing

@Suite("Rejected responses")
struct RejectedResponseTests {
  /// Sends a byte each second, endlessly.
  private struct DrippingTransport: HTTPTransport {
    let clock: TestClock

    func transfer(
      _ request: HTTPTransferRequest, to receiver: some HTTPBodyReceiver
    ) async throws -> HTTPTransferResult {
      _ = try await receiver.receive(HTTPResponseHead(status: .serviceUnavailable, fields: [:], url: request.url))
      while true {
        clock.advance(by: .seconds(1))
        try await receiver.receive([UInt8(ascii: "x")])
      }
    }
  }

  @Test("are read for at most five seconds, to learn the server's message")
  func dripping() async throws {
    let clock = TestClock()
    var operation = HTTPOperation(.init(url: "http://h/"), by: DrippingTransport(clock: clock), to: .text)
    operation.retry = .none
    let runner = OperationRunner(operation, context: .testing(clock))
    let error = await #expect(throws: HTTPOperationError.self) { try await runner.run() }
    #expect(error?.head?.status == .serviceUnavailable)
    #expect(error?.body == Array("xxxxx".utf8))
    #expect(error?.hasWholeBody == false)
    #expect(clock.monotonic() == .seconds(5))
  }

  @Test("report whether the whole body was read", arguments: [(5, true), (16 * 1024, false), (20_000, false)])
  func words(count: Int, isWhole: Bool) async throws {
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: count)
    var operation = HTTPOperation(.init(url: "http://h/"), by: FakeTransport(.response(503, [:], body)), to: .text)
    operation.retry = .none
    let runner = OperationRunner(operation, context: .testing(TestClock()))
    let error = await #expect(throws: HTTPOperationError.self) { try await runner.run() }
    #expect(error?.body.count == min(count, 16 * 1024))
    #expect(error?.hasWholeBody == isWhole)
  }
}
