import HTTPOperations
import HTTPTypes
import Operations
import OperationsTesting
import Testing

@Suite("Event controllers")
struct HTTPEventControllerTests {
  private struct Latest: QueryRequest, Hashable {
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<ServerSentEvent, any Error>
    ) async throws -> ServerSentEvent { ServerSentEvent(data: "fetched") }
  }

  private struct Price: QueryRequest, Hashable {
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<Int, any Error>
    ) async throws -> Int { 0 }
  }

  private static let stream: HTTPFields = [.contentType: "text/event-stream"]

  private func source(_ answers: FakeTransport.Answer...) -> HTTPEventSource {
    var source = HTTPEventSource(HTTPTransferRequest(url: "http://h/"), by: FakeTransport(all: answers))
    source.peers = HTTPPeers(network: MockNetworkObserver())
    return source
  }

  /// Returns the first state of a store that satisfies `isLast`.
  private func last<Request: QueryRequest>(
    _ request: Request, where isLast: (Request.State) -> Bool
  ) async -> Request.State? where Request.FetchFailure == any Error {
    let store = OperationStore.detached(request, context: .testing(ImmediateClock()))
    for await element in store.states where isLast(element.state) { return element.state }
    return nil
  }

  @Test("Each event is a state, and reconnecting is not")
  func values() async {
    let source = source(
      .response(200, Self.stream, Array("data: a\n\ndata: b\n\n".utf8)), .failure(.cannotConnect),
      .response(200, Self.stream, Array("data: c\n\n".utf8)), .response(404))
    let last = await last(Latest().controlled(by: HTTPEventController(source))) { $0.error != nil }
    #expect(last?.currentValue?.data == "c")
    #expect(last?.valueUpdateCount == 3)
    #expect(last?.errorUpdateCount == 1)
    #expect((last?.error as? HTTPOperationError)?.code == "http-status")
  }

  @Test("An event can become any value or none, and one that cannot is an error until the next value")
  func transformed() async {
    struct NoNumber: Error {}
    let source = source(
      .response(200, Self.stream, Array("data: 1\n\ndata: x\n\nevent: ping\ndata\n\ndata: 3\n\n".utf8)),
      .response(204))
    let controller = HTTPEventController<QueryState<Int, any Error>>(source) { event in
      guard event.type == "message" else { return nil }
      guard let number = Int(event.data) else { throw NoNumber() }
      return number
    }
    let last = await last(Price().controlled(by: controller)) { $0.currentValue == 3 }
    #expect(last?.valueUpdateCount == 2)
    #expect(last?.errorUpdateCount == 1)
    #expect(last?.error == nil)
  }

  @Test("The connection ends with the store")
  func lifetime() async {
    let transport = SteppingTransport(count: 1)
    do {
      let source = HTTPEventSource(HTTPTransferRequest(url: "http://h/"), by: transport)
      let store = OperationStore.detached(Latest().controlled(by: HTTPEventController(source)))
      for await element in store.states where element.state.currentValue?.data == "1" { break }
    }
    await transport.ended()
  }
}
