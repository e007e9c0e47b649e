import HTTPOperations
import HTTPTypes
import Operations
import OperationsTesting
import Synchronization
import Testing

@Suite("Event sources")
struct HTTPEventSourceTests {
  private static let stream: HTTPFields = [.contentType: "text/event-stream; charset=utf-8"]

  private let clock = ImmediateClock()
  private let events = Log<ServerSentEvent>()
  private let changes = Log<String>()

  private var context: OperationContext {
    var context = OperationContext.testing(clock)
    context.operationRandom = OperationRandom(seed: 1)
    return context
  }

  private func source(_ answers: FakeTransport.Answer...) -> (source: HTTPEventSource, transport: FakeTransport) {
    let transport = FakeTransport(all: answers)
    var source = HTTPEventSource(HTTPTransferRequest(url: "http://h/feed?key=secret"), by: transport)
    source.peers = HTTPPeers(network: MockNetworkObserver())
    source.onChange = { [changes] change in
      switch change {
      case .opened(let head): changes.append("opened \(head.status.code)")
      case .waiting(_, let error): changes.append(error.code)
      }
    }
    return (source, transport)
  }

  private func run(_ source: HTTPEventSource) async throws {
    try await source.run(in: context) { [events] in events.append($0) }
  }

  private static func body(_ text: String) -> FakeTransport.Answer { .response(200, stream, Array(text.utf8)) }

  @Test("A stream that ends is reconnected with the last ID, until the server answers 204")
  func reconnects() async throws {
    let (source, transport) = source(
      Self.body("data: a\nid: 1\n\ndata: b\n\n"), Self.body("data: c\nid: 2\n\ndata: half"), .response(204))
    try await run(source)
    #expect(
      events.elements == [
        ServerSentEvent(data: "a", id: "1"), ServerSentEvent(data: "b", id: "1"), ServerSentEvent(data: "c", id: "2"),
      ])
    #expect(transport.requests.map { $0.fields[.lastEventID] } == [nil, "1", "2"])
    for request in transport.requests {
      #expect(request.fields[.accept] == "text/event-stream")
      #expect(request.fields[.cacheControl] == "no-store")
      #expect(request.options.timeouts.idle == .seconds(300))
    }
    #expect(changes.elements == ["opened 200", "stream-ended", "opened 200", "stream-ended"])
  }

  @Test("A source continues after an ID received earlier")
  func resumed() async throws {
    var (source, transport) = source(.response(204))
    source.lastEventID = "é 7"
    try await run(source)
    #expect(transport.requests.first?.fields[.lastEventID] == "é 7")
  }

  @Test("A lost connection counts as a stream that ended")
  func lost() async throws {
    let (source, transport) = source(
      .cut(200, Self.stream, Array("data: a\nid: 1\n\nda".utf8)), Self.body("data: b\n\n"), .response(204))
    try await run(source)
    #expect(events.elements.map(\.data) == ["a", "b"])
    #expect(transport.requests.map { $0.fields[.lastEventID] } == [nil, "1", "1"])
    #expect(changes.elements == ["opened 200", "connection-lost", "opened 200", "stream-ended"])
  }

  @Test("The wait is between once and twice the reconnection time, which the server can set")
  func reconnectionTime() async throws {
    let (source, _) = source(
      Self.body("data: a\n\n"), Self.body("retry: 10000\n\n"), Self.body(": nothing\n"), Self.body("retry: 0\n\n"),
      .response(204))
    try await run(source)
    let bounds: [(Duration, Duration)] = [
      (.seconds(3), .seconds(6)), (.seconds(10), .seconds(20)), (.seconds(10), .seconds(20)),
      (.milliseconds(100), .milliseconds(200)),
    ]
    #expect(clock.delays.count == bounds.count)
    for (delay, bound) in zip(clock.delays.elements, bounds) {
      #expect(delay >= bound.0 && delay <= bound.1, "\(delay)")
    }
  }

  @Test("The waits double with each failed connection, and start again after a stream")
  func backoff() async throws {
    let failure = FakeTransport.Answer.failure(.cannotConnect)
    let (source, transport) = source(
      failure, .response(503), failure, failure, failure, failure, Self.body("data: a\n\n"), failure, .response(204))
    try await run(source)
    let bounds = [(3, 6), (6, 12), (12, 24), (24, 48), (30, 60), (30, 60), (3, 6), (3, 6)]
    #expect(clock.delays.count == bounds.count)
    for (delay, bound) in zip(clock.delays.elements, bounds) {
      #expect(delay >= .seconds(bound.0) && delay <= .seconds(bound.1), "\(delay)")
    }
    #expect(transport.requests.count == 9)
  }

  @Test("Retry-After is respected unless it is shorter than the reconnection time")
  func retryAfter() async throws {
    let (source, _) = source(
      .response(503, [.retryAfter: "40"]), .response(503, [.retryAfter: "0"]), .response(429, [.retryAfter: "9999"]),
      .response(204))
    try await run(source)
    let delays = clock.delays.elements
    #expect(delays.count == 3)
    #expect(delays.first == .seconds(40))
    #expect(delays.last == .seconds(600))
    #expect(delays[1] >= .seconds(3))
  }

  @Test(
    "A response that is not a stream ends the source, with the reason",
    arguments: [
      (FakeTransport.Answer.response(200, [.contentType: "text/html"]), "http-type"),
      (.response(200), "http-type"), (.response(404), "http-status"), (.response(301), "http-status"),
      (.response(206, stream), "http-status"), (.failure(.tlsNotVerified), "tls-not-verified"),
      (.failure(.tooManyRedirects), "too-many-redirects"), (.failure(.clientClosed), "client-closed"),
    ])
  func final(answer: FakeTransport.Answer, code: String) async {
    let (source, transport) = source(answer)
    let error = await #expect(throws: HTTPOperationError.self) { try await run(source) }
    #expect(error?.code == code)
    #expect(error?.description.contains("secret") == false)
    #expect(transport.requests.count == 1)
    #expect(clock.delays.count == 0)
  }

  @Test("With the strict behaviour of the standard, no status is retried")
  func standardStatuses() async {
    var (source, transport) = source(.response(503))
    source.reconnection.statuses = []
    await #expect(throws: HTTPOperationError.self) { try await run(source) }
    #expect(transport.requests.count == 1)
  }

  @Test("The limit counts consecutive connections that do not become a stream")
  func limit() async {
    let failure = FakeTransport.Answer.failure(.cannotConnect)
    var (source, transport) = source(failure, failure, Self.body("data: a\n\n"), failure)
    source.reconnection.limit = 2
    let error = await #expect(throws: HTTPOperationError.self) { try await run(source) }
    #expect(error?.code == "cannot-connect")
    #expect(transport.requests.count == 6)
    #expect(events.elements.map(\.data) == ["a"])
  }

  @Test("An endless event ends the source, after the events before it")
  func tooLong() async {
    var (source, transport) = source(Self.body("data: a\n\ndata: " + String(repeating: "x", count: 100)))
    source.eventLimit = 50
    let error = await #expect(throws: HTTPOperationError.self) { try await run(source) }
    #expect(error?.code == "undecodable")
    #expect(events.elements.map(\.data) == ["a"])
    #expect(transport.requests.count == 1)
  }

  @Test("An error thrown by the consumer is rethrown unchanged and ends the source")
  func takerThrows() async {
    struct Full: Error {}
    let (source, transport) = source(Self.body("data: a\n\ndata: b\n\n"))
    await #expect(throws: Full.self) {
      try await source.run(in: context) { [events] event in
        events.append(event)
        throw Full()
      }
    }
    #expect(events.count == 1)
    #expect(transport.requests.count == 1)
  }

  @Test("Each connection uses the request, its processors and the providers")
  func hooks() async throws {
    var (source, transport) = source(.response(401), Self.body("data: a\n\n"), .response(204))
    let count = Mutex(0)
    source.requestProcessors = [
      HTTPRequestTransform { request, _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return try await HTTPAuthorizationProcessor(.bearer("t\(number)")).process(request, in: OperationContext())
      }
    ]
    source.retryProviders = [
      HTTPRetryRule { $0.rejectedStatus == 401 ? .retry(reason: "the token is old") : .noOpinion }
    ]
    try await run(source)
    #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer t1", "Bearer t2", "Bearer t3"])
  }

  @Test("A network that comes back brings a connection forward")
  func early() async throws {
    let clock = TestClock()
    let network = MockNetworkObserver(.disconnected)
    var (source, transport) = source(.failure(.cannotConnect), .response(204))
    source.peers = HTTPPeers(network: network)
    source.reconnection.early.jitter = .zero
    let running = Task { [source] in try await source.run(in: .testing(clock)) { _ in } }
    await clock.hasDelays(1)
    network.send(.connected)
    try await running.value
    #expect(transport.requests.count == 2)
    #expect(clock.monotonic() == .zero)
  }

  @Test("Cancelling immediately ends the wait for a connection")
  func cancelledWait() async {
    let clock = TestClock()
    let (source, transport) = source(Self.body("data: a\n\n"))
    let running = Task { try await source.run(in: .testing(clock)) { _ in } }
    await clock.hasDelays(1)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(transport.requests.count == 1)
    #expect(clock.delayCount == 0)
  }

  @Test("A retry around the caller does not affect the source")
  func nested() async throws {
    struct Listen: OperationRequest {
      let source: HTTPEventSource

      func run(
        isolation: isolated (any Actor)?, in context: OperationContext,
        with continuation: OperationContinuation<Void, any Error>
      ) async throws {
        try await source.run(in: context) { _ in }
      }
    }
    let failure = FakeTransport.Answer.failure(.cannotConnect)
    let (source, transport) = source(failure, failure, failure, .response(204))
    try await OperationRunner(Listen(source: source).retry(limit: 1), context: context).run()
    #expect(transport.requests.count == 4)
  }
}
