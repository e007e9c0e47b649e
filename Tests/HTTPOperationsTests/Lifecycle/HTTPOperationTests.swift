import HTTPOperations
import HTTPTypes
import Operations
import OperationsTesting
import Testing

@Suite("The life cycle of a request")
struct HTTPOperationTests {
  private let clock = TestClock()
  private let waits = Log<RetryWait>()

  private var context: OperationContext {
    var context = OperationContext.testing(clock)
    context.retryObserver = RetryObserver(onWait: { [waits] in waits.append($0) })
    return context
  }

  private func operation(_ transport: FakeTransport, method: HTTPRequest.Method = .get) -> HTTPOperation<String> {
    var operation = HTTPOperation(.init(method: method, url: "http://h/?token=secret"), by: transport, to: .text)
    operation.retry.budget = nil
    return operation
  }

  /// Runs the operation, and ends each wait immediately.
  private func run<Value: Sendable>(_ operation: HTTPOperation<Value>) async throws -> Value {
    var context = context
    let immediate = ImmediateClock()
    context.operationClock = immediate
    context.operationDelayer = immediate
    return try await OperationRunner(operation, context: context).run()
  }

  @Test("A request is retried up to three times, within 1, 2 and 4 seconds")
  func threeRetries() async throws {
    let transport = FakeTransport(.failure(.connectionLost))
    let error = await #expect(throws: HTTPOperationError.self) { try await run(operation(transport)) }
    #expect(error?.code == "connection-lost")
    #expect(transport.requests.count == 4)
    #expect(waits.elements.count == 3)
    for (wait, bound) in zip(waits.elements, [1, 2, 4]) {
      #expect(wait.delay >= .zero && wait.delay <= .seconds(bound))
    }
    #expect(Set(waits.elements.map(\.delay)).count == 3)
  }

  @Test("Each attempt begins with the original request")
  func original() async throws {
    let transport = FakeTransport(.response(503), .response(503), .response(200, [:], Array("ok".utf8)))
    var operation = operation(transport)
    let name = try #require(HTTPField.Name("X-Attempt"))
    operation.requestProcessors = [
      HTTPRequestTransform { request, context in
        var request = request
        #expect(request.fields[name] == nil)
        request.fields[name] = "\(context.operationRetryIndex.map { $0 + 2 } ?? 1)"
        return request
      },
      HTTPAuthorizationProcessor(.bearer("t")),
    ]
    #expect(try await run(operation) == "ok")
    #expect(transport.requests.map { $0.fields[name] } == ["1", "2", "3"])
    #expect(transport.requests.allSatisfy { $0.fields[.authorization] == "Bearer t" })
  }

  @Test("A processor that fails sends nothing and is not retried")
  func processorFails() async {
    struct Failure: Error {}
    let transport = FakeTransport(.response(200))
    var operation = operation(transport)
    operation.requestProcessors = [HTTPRequestTransform { _, _ in throw Failure() }]
    let error = await #expect(throws: HTTPOperationError.self) { try await run(operation) }
    #expect(error?.code == "request-failed")
    #expect(transport.requests.isEmpty)
  }

  @Test("Retry-After is respected exactly, in seconds and as a date, limited by the cap")
  func retryAfter() async throws {
    let date = try #require(HTTPDate.format(Timestamp(seconds: 1_000_000_030)))
    let transport = FakeTransport(
      .response(503, [.retryAfter: "7"]),
      .response(429, [.retryAfter: date, .date: try #require(HTTPDate.format(Timestamp(seconds: 1_000_000_000)))]),
      .response(503, [.retryAfter: "86400"]), .response(200, [:], Array("ok".utf8)))
    var operation = operation(transport)
    operation.retry.retryAfterCap = .seconds(100)
    #expect(try await run(operation) == "ok")
    #expect(waits.elements.map(\.delay) == [.seconds(7), .seconds(30), .seconds(100)])
  }

  @Test("A Retry-After that reaches the deadline ends the retries immediately")
  func deadline() async {
    let transport = FakeTransport(.response(503, [.retryAfter: "60"]))
    var operation = operation(transport)
    operation.retry.deadline = .seconds(60)
    let runner = OperationRunner(operation, context: context)
    let error = await #expect(throws: HTTPOperationError.self) { try await runner.run() }
    #expect(error?.head?.status.code == 503)
    #expect(transport.requests.count == 1)
    #expect(waits.elements.isEmpty)
  }

  @Test("A rejected response keeps the beginning of its body, and the message contains no secrets")
  func rejected() async {
    let transport = FakeTransport(.response(404, [:], Array(repeating: 65, count: 40_000)))
    let error = await #expect(throws: HTTPOperationError.self) { try await run(operation(transport)) }
    #expect(error?.code == "http-status")
    #expect(error?.description == "http://h/?… answered 404 Not Found to GET; expected 2xx")
    #expect(error?.body.count == 16 * 1024)
    #expect(transport.requests.count == 1)
  }

  @Test("A rejected media type ends the transfer before the body")
  func mediaType() async throws {
    let transport = FakeTransport(.response(200, [.contentType: "text/html"], [1]))
    var operation = operation(transport)
    operation.validators.append(HTTPMediaTypeValidator([try #require(MediaTypePattern("application/json"))]))
    let error = await #expect(throws: HTTPOperationError.self) { try await run(operation) }
    #expect(error?.code == "http-type")
    #expect(error?.description == "the response of http://h/?… is text/html; expected application/json")
    #expect(transport.bodies == 0)
    #expect(transport.requests.count == 1)
  }

  @Test("A custom validator ends the transfer before the body")
  func customValidator() async throws {
    struct TooOld: Error {}
    let transport = FakeTransport(.response(200, [:], [1]))
    var operation = operation(transport)
    operation.validators = [HTTPResponseCheck { _, _ in throw TooOld() }]
    let error = await #expect(throws: HTTPOperationError.self) { try await run(operation) }
    #expect(error?.code == "response-refused")
    #expect(error?.underlying is TooOld)
    #expect(transport.bodies == 0)
  }

  @Test("The first provider with an opinion decides")
  func providers() async {
    let asked = Log<Int>()
    let transport = FakeTransport(.response(404))
    var operation = operation(transport)
    operation.retry.limit = 2
    operation.retryProviders = [
      HTTPRetryRule { _ in
        asked.append(1)
        return .noOpinion
      },
      HTTPRetryRule { failure in
        asked.append(2)
        return failure.rejectedStatus == 404 ? .retry(reason: "it will come") : .noOpinion
      },
      HTTPRetryRule { _ in
        asked.append(3)
        return .doNotRetry(reason: "never")
      },
    ]
    await #expect(throws: HTTPOperationError.self) { try await run(operation) }
    #expect(transport.requests.count == 3)
    #expect(asked.elements == [1, 2, 1, 2, 1, 2])
    operation.retryProviders = []
    await #expect(throws: HTTPOperationError.self) { try await run(operation) }
    #expect(transport.requests.count == 4)
  }

  @Test("Text is decoded in the charset that the response declares")
  func text() async throws {
    let latin = FakeTransport(.response(200, [.contentType: "text/plain; charset=ISO-8859-1"], [0xE9]))
    #expect(try await run(operation(latin)) == "é")
    for (type, code) in [("text/plain; charset=klingon", "unknown-charset"), ("text/plain", "bad-text")] {
      let transport = FakeTransport(.response(200, [.contentType: type], [0xE9]))
      let error = await #expect(throws: HTTPOperationError.self) { try await run(operation(transport)) }
      #expect(error?.code == code)
      #expect(transport.requests.count == 1)
    }
  }

  @Test("A JSON body becomes a value without a custom decoder, and any other body is not retried")
  func json() async throws {
    struct Release: Decodable, Sendable, Equatable {
      let tag: String
    }
    for (body, code) in [(#"{"tag":"1.0"}"#, nil), ("{}", "undecodable"), ("<html>", "undecodable")] {
      let transport = FakeTransport(.response(200, [:], Array(body.utf8)))
      let operation = HTTPOperation(.init(url: "http://h/"), by: transport, to: .json(Release.self))
      if let code {
        let error = await #expect(throws: HTTPOperationError.self) { try await run(operation) }
        #expect(error?.code == code)
      } else {
        #expect(try await run(operation) == Release(tag: "1.0"))
      }
      #expect(transport.requests.count == 1)
    }
  }

  @Test("A retry around the operation adds no attempts")
  func nested() async {
    let transport = FakeTransport(.response(503))
    var context = context
    let immediate = ImmediateClock()
    context.operationClock = immediate
    context.operationDelayer = immediate
    await #expect(throws: HTTPOperationError.self) {
      try await OperationRunner(operation(transport).retry(limit: 7), context: context).run()
    }
    #expect(transport.requests.count == 4)
  }

  /// A request of a client's store that runs `body`, such as an operation.
  private struct Query: QueryRequest {
    let path: OperationPath = ["request"]
    let body: @Sendable (OperationContext) async throws -> String

    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<String, any Error>
    ) async throws -> String {
      try await body(context)
    }
  }

  @Test(
    "The retries of a client do not multiply those of the operation",
    arguments: [(503, 3, 4), (404, 3, 1), (503, 0, 4), (404, 0, 1)])
  func inClient(status: Int, limit: Int, requests: Int) async {
    let transport = FakeTransport(.response(status))
    let immediate = ImmediateClock()
    var operation = operation(transport)
    operation.retry = HTTPRetrySettings(limit: limit, budget: nil)
    let runs = operation
    let client = OperationClient(defaultContext: .testing(immediate))
    let store = client.store(for: Query { try await OperationRunner(runs, context: $0).run() })
    await #expect(throws: HTTPOperationError.self) { try await store.fetch() }
    #expect(transport.requests.count == requests)
    // Also if the operation is run without being set up.
    client.clearStores()
    let direct = client.store(
      for: Query { try await runs.run(isolation: nil, in: $0, with: OperationContinuation()) })
    await #expect(throws: HTTPOperationError.self) { try await direct.fetch() }
    #expect(transport.requests.count == 2 * requests)
  }

  @Test("The retries of a client do not multiply the deadline of the operation")
  func deadlineInClient() async {
    var operation = operation(FakeTransport(.response(503)))
    operation.retry = HTTPRetrySettings(limit: 9, deadline: .seconds(10), budget: nil)
    let runs = operation
    let fetches = Log<Int>()
    // The delayer of this clock lets the deadline pass immediately.
    let client = OperationClient(defaultContext: .testing(ImmediateClock()))
    let store = client.store(
      for: Query { context in
        fetches.append(0)
        return try await OperationRunner(runs, context: context).run()
      })
    await #expect(throws: RetryDeadlineError(deadline: .seconds(10))) { try await store.fetch() }
    #expect(fetches.count == 1)
  }

  @Test("A delay chosen by a provider takes precedence over the server's")
  func chosenDelay() async throws {
    let transport = FakeTransport(.response(503, [.retryAfter: "60"]), .response(200, [:], Array("ok".utf8)))
    let immediate = ImmediateClock()
    var operation = operation(transport)
    operation.retryProviders = [HTTPRetryRule { _ in .retry(reason: "soon", after: .seconds(5)) }]
    #expect(try await OperationRunner(operation, context: .testing(immediate)).run() == "ok")
    #expect(immediate.delays.elements == [.seconds(5)])
  }

  @Test("Cancelling immediately ends a wait, and no attempt follows")
  func cancelled() async {
    let transport = FakeTransport(.response(503))
    let runner = OperationRunner(operation(transport), context: context)
    let task = Task { try await runner.run() }
    await clock.hasDelays(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.requests.count == 1)
    #expect(clock.delayCount == 0)
  }
}
