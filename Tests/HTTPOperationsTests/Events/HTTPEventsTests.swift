import HTTPOperations
import HTTPTypes
import Operations
import OperationsTesting
import Testing

@Suite("The events of a source as a sequence")
struct HTTPEventsTests {
  private static let stream: HTTPFields = [.contentType: "text/event-stream"]

  private func source(_ answers: FakeTransport.Answer...) -> HTTPEventSource {
    HTTPEventSource(HTTPTransferRequest(url: "http://h/"), by: FakeTransport(all: answers))
  }

  @Test("Events come in order and end with the source")
  func order() async throws {
    let text = (0..<100).map { "data: \($0)\n\n" }.joined()
    let source = source(.response(200, Self.stream, Array(text.utf8)), .response(204))
    var found: [String] = []
    for try await event in source.events(in: .testing(ImmediateClock())) { found.append(event.data) }
    #expect(found == (0..<100).map { "\($0)" })
  }

  @Test("The sequence rethrows the error of the source and ends")
  func failure() async throws {
    var iterator = source(.response(404)).events().makeAsyncIterator()
    await #expect(throws: HTTPOperationError.self) { try await iterator.next() }
  }

  @Test("At most one event is read ahead")
  func backPressure() async throws {
    let transport = SteppingTransport()
    let events = HTTPEventSource(HTTPTransferRequest(url: "http://h/"), by: transport).events()
    #expect(transport.delivered == 0)
    var iterator = events.makeAsyncIterator()
    for number in 1...20 {
      #expect(try await iterator.next()?.data == "\(number)")
      #expect(transport.delivered <= number + 1)
    }
  }

  @Test("The connection ends when the iteration is left")
  func left() async throws {
    let transport = SteppingTransport()
    let source = HTTPEventSource(HTTPTransferRequest(url: "http://h/"), by: transport)
    for try await event in source.events() where event.data == "3" { break }
    await transport.ended()
  }

  @Test("Cancelling a task that waits for an event ends the wait and the connection")
  func cancelled() async throws {
    let transport = SteppingTransport(count: 2)
    let source = HTTPEventSource(HTTPTransferRequest(url: "http://h/"), by: transport)
    let second = AsyncStream<Void>.makeStream()
    let waiting = Task {
      for try await event in source.events() where event.data == "2" { second.continuation.yield() }
    }
    for await _ in second.stream { break }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await transport.ended()
  }
}
