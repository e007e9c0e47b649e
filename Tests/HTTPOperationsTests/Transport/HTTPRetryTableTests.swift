import CLibCurl
import HTTPTypes
import Operations
import OperationsTesting
import Testing

@testable import HTTPOperations

@Suite("What is retried")
struct HTTPRetryTableTests {
  private static let retried: Set<HTTPTransferError.Code> = [
    .nameNotResolved, .proxyNotResolved, .cannotConnect, .proxyFailed, .connectTimeout, .firstByteTimeout, .idleTimeout,
    .totalTimeout, .tlsFailed, .connectionLost, .incompleteBody,
  ]
  private static let unsent: Set<HTTPTransferError.Code> = [
    .nameNotResolved, .proxyNotResolved, .cannotConnect, .connectTimeout,
  ]
  private static let methods: [(String, Bool)] = [
    ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("OPTIONS", true), ("TRACE", true), ("QUERY", true),
    ("POST", false), ("PATCH", false), ("CONNECT", false), ("get", false), ("PURGE", false),
  ]

  private func isRetried(
    _ answer: FakeTransport.Answer, _ method: String, _ fields: HTTPFields = [:],
    _ nonIdempotent: HTTPDefaultRetryProvider.NonIdempotent = .never
  ) async throws -> Bool {
    let method = try #require(HTTPRequest.Method(method))
    let request = HTTPTransferRequest(method: method, url: "http://h/", fields: fields)
    var operation = HTTPOperation(request, by: FakeTransport(answer), to: .data)
    operation.retryProviders = [HTTPDefaultRetryProvider(nonIdempotent: nonIdempotent)]
    let error = await #expect(throws: HTTPOperationError.self) { try await OperationRunner(operation.attempt).run() }
    if case .retry = error?.verdict { return true }
    return false
  }

  @Test("Every failure of a transfer is retried as the table says", arguments: HTTPTransferError.Code.allCases)
  func transfers(code: HTTPTransferError.Code) async throws {
    let transient = Self.retried.contains(code)
    for (method, isIdempotent) in Self.methods {
      #expect(try await isRetried(.failure(code), method) == (transient && isIdempotent), "\(method)")
      #expect(try await isRetried(.failure(code), method, [.idempotencyKey: "k"]) == transient, "\(method) with a key")
      #expect(try await isRetried(.failure(code), method, [:], .always) == transient, "\(method), always")
      #expect(
        try await isRetried(.failure(code), method, [:], .unsent)
          == (transient && isIdempotent || Self.unsent.contains(code)), "\(method), unsent")
    }
  }

  /// The libcurl codes that are retried, and whether something may have been sent before.
  private static let curlCodes: [(CURLcode, mayBeSent: Bool)] = [
    (CURLE_COULDNT_RESOLVE_PROXY, false), (CURLE_COULDNT_RESOLVE_HOST, false), (CURLE_COULDNT_CONNECT, false),
    (CURLE_INTERFACE_FAILED, false), (CURLE_NO_CONNECTION_AVAILABLE, false), (CURLE_QUIC_CONNECT_ERROR, false),
    (CURLE_PROXY, true), (CURLE_SSL_CONNECT_ERROR, true), (CURLE_USE_SSL_FAILED, true),
    (CURLE_SSL_SHUTDOWN_FAILED, true), (CURLE_SEND_ERROR, true), (CURLE_SEND_FAIL_REWIND, true),
    (CURLE_RECV_ERROR, true), (CURLE_GOT_NOTHING, true), (CURLE_PARTIAL_FILE, true), (CURLE_HTTP2_STREAM, true),
  ]

  @Test("Every libcurl code is retried as the table says, with and without idempotency or a connection")
  func curlNumbers() async throws {
    for number in 1..<CURL_LAST.rawValue {
      for hasConnected in [false, true] {
        let known = Self.curlCodes.first { $0.0.rawValue == number }
        let isTimeout = number == CURLE_OPERATION_TIMEDOUT.rawValue
        let transient = known != nil || isTimeout
        let unsent = known?.mayBeSent == false || isTimeout && !hasConnected
        let code = TransferFailure.error(
          CURLcode(number), detail: "", authority: "h", hasConnected: hasConnected, proxyStatus: 0, systemError: 0
        ).code
        #expect(try await isRetried(.failure(code), "GET") == transient, "\(number) is \(code)")
        #expect(try await isRetried(.failure(code), "POST") == false, "\(number) is \(code)")
        #expect(
          try await isRetried(.failure(code), "POST", [.idempotencyKey: "k"]) == transient, "\(number) is \(code)")
        #expect(try await isRetried(.failure(code), "POST", [:], .unsent) == unsent, "\(number) is \(code)")
      }
    }
  }

  @Test("Every status is retried as the table says, with and without idempotency")
  func statuses() async throws {
    for status in (100..<600) where !(200..<300).contains(status) {
      let transient = [408, 425, 429, 500, 502, 503, 504].contains(status)
      #expect(try await isRetried(.response(status), "GET") == transient, "\(status)")
      #expect(try await isRetried(.response(status), "POST") == false, "\(status) to POST")
      #expect(
        try await isRetried(.response(status), "POST", [.idempotencyKey: "k"]) == transient, "\(status) with a key")
      #expect(try await isRetried(.response(status), "POST", [:], .unsent) == false, "\(status) to POST, unsent")
      #expect(try await isRetried(.response(status), "POST", [:], .always) == transient, "\(status) to POST, always")
    }
  }

  @Test("An accepted status is a result")
  func welcome() async throws {
    for status in 200..<300 {
      let operation = HTTPOperation(.init(url: "http://h/"), by: FakeTransport(.response(status, [:], [1])), to: .data)
      #expect(try await OperationRunner(operation).run() == [1])
    }
  }
}

@Suite("Retry budgets")
struct HTTPRetryBudgetTests {
  private let here = HTTPEndpoint(scheme: "http", host: "h", port: 80)
  private let there = HTTPEndpoint(scheme: "https", host: "h", port: 443)

  @Test("Retries empty a bucket and time refills it, separately for each endpoint")
  func bucket() {
    let clock = ImmediateClock()
    let budget = HTTPRetryBudget(capacity: 2, refill: 0.5, clock: clock)
    #expect(budget.take(for: here))
    #expect(budget.take(for: here))
    #expect(!budget.take(for: here))
    #expect(budget.take(for: there))
    clock.advance(by: .seconds(1))
    #expect(!budget.take(for: here))
    clock.advance(by: .seconds(1))
    #expect(budget.take(for: here))
    clock.advance(by: .seconds(1))
    #expect(!budget.take(for: here))
    // Never more than its capacity.
    clock.advance(by: .seconds(1000))
    for _ in 0..<2 { #expect(budget.take(for: here)) }
    #expect(!budget.take(for: here))
  }

  @Test("Operations with different clocks share a budget")
  func clocks() async throws {
    let budget = HTTPRetryBudget(capacity: 1, refill: 1, clock: ImmediateClock())
    for time in [Duration.seconds(1_000_000), .zero, .seconds(2_000_000)] {
      let clock = ImmediateClock()
      clock.advance(by: time)
      var operation = HTTPOperation(.init(url: "http://h/"), by: FakeTransport(.response(503)), to: .data)
      operation.retry = HTTPRetrySettings(limit: 9, budget: budget)
      let context = OperationContext.testing(clock)
      _ = try? await OperationRunner(operation, context: context).run()
    }
    // The first operation took the only token; the clocks of the others are not the budget's and refill nothing.
    #expect(!budget.take(for: here))
  }

  @Test("A failure is final and says so when the budget is used up")
  func usedUp() async throws {
    let transport = FakeTransport(.response(503))
    let clock = ImmediateClock()
    let reasons = Log<RetryGiveUpReason>()
    var context = OperationContext.testing(clock)
    context.retryObserver = RetryObserver(onGiveUp: { reasons.append($0) })
    var operation = HTTPOperation(.init(url: "http://h/"), by: transport, to: .data)
    operation.retry = HTTPRetrySettings(limit: 9, budget: HTTPRetryBudget(capacity: 2, refill: 0))
    await #expect(throws: HTTPOperationError.self) { try await OperationRunner(operation, context: context).run() }
    #expect(transport.requests.count == 3)
    #expect(reasons.elements == [.stopped("the retry budget of http://h:80 is used up")])
  }
}
