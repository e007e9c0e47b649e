import Operations
import Testing

@Suite("Retry")
struct RetryTests {
  private let time = FakeTime()
  private let attempts = Log<Int?>()

  /// Fails with the number of its attempt until it has run `failures` times.
  private func failing(_ failures: Int = .max) -> Block<String> {
    Block { [attempts] context in
      let number = attempts.append(context.operationRetryIndex)
      guard number > failures else { throw TestError(number: number) }
      return "done"
    }
  }

  private func run<Operation: OperationRequest>(
    _ operation: Operation, _ change: (inout OperationContext) -> Void = { _ in }
  ) async throws -> Operation.Value where Operation.Value: Sendable {
    var context = OperationContext.faking(time)
    change(&context)
    return try await OperationRunner(operation, context: context).run()
  }

  @Test("A limit of three allows four attempts, then the last error is thrown")
  func limit() async {
    await #expect(throws: TestError(number: 4)) { try await run(failing().retry(limit: 3)) }
    #expect(attempts.elements == [nil, 0, 1, 2])
  }

  @Test("Nothing is retried by default", arguments: [0, -1, Int.min])
  func noRetries(limit: Int) async {
    await #expect(throws: TestError(number: 1)) { try await run(failing().retry(limit: limit)) }
    await #expect(throws: TestError(number: 2)) { try await run(failing().retry(RetryPolicy())) }
    #expect(time.delays.count == 0)
  }

  @Test("A retry around a request that runs others does not affect their retries", arguments: [0, 1])
  func nested(outer: Int) async {
    let inner = failing().retry(limit: 2)
    let direct = Block { context in
      var context = context
      inner.setup(context: &context)
      return try await inner.run(isolation: nil, in: context, with: OperationContinuation())
    }
    let runner = Block { context in try await OperationRunner(inner, context: context).run() }
    for wrapper in [direct, runner] {
      let before = attempts.count
      _ = try? await run(wrapper.retry(limit: outer))
      #expect(attempts.count - before == 3 * (outer + 1))
      #expect(attempts.elements.suffix(3) == [nil, 0, 1])
    }
  }

  @Test("A stateful retry without a limit does not affect the retries of the requests that it runs")
  func nestedInQuery() async {
    let inner = failing().retry(limit: 2)
    let query = TestQuery<String, any Error> { context, _ in
      try await OperationRunner(inner, context: context).run()
    }
    let store = OperationStore.detached(query.retry(limit: 0), context: .faking(time))
    _ = try? await store.fetch()
    #expect(attempts.elements == [nil, 0, 1])
  }

  @Test("A success ends the retry")
  func success() async throws {
    #expect(try await run(failing(2).retry(limit: 5)) == "done")
    #expect(attempts.count == 3)
  }

  @Test("The delays are those of the backoff, regardless of its position in the chain")
  func delays() async {
    let backoff = OperationBackoff(.exponential, jitter: .none)
    let chains: [any OperationRequest<String, any Error>] = [
      failing().retry(RetryPolicy(limit: 4, backoff: backoff)),
      failing().retry(limit: 4).backoff(backoff),
      failing().backoff(backoff).retry(limit: 4),
      failing().retry(RetryPolicy(limit: 4, backoff: backoff)).backoff(.constant(.seconds(9))),
    ]
    for (index, chain) in chains.enumerated() {
      _ = try? await run(chain)
      #expect(time.delays.elements.suffix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)], "chain \(index)")
    }
    #expect(time.delays.count == 16)
  }

  @Test("The default delays are random, and the same for the same seed")
  func seeded() async {
    _ = try? await run(failing().retry(limit: 6)) { $0.operationRandom = OperationRandom(seed: 5) }
    _ = try? await run(failing().retry(limit: 6)) { $0.operationRandom = OperationRandom(seed: 5) }
    let drawn = time.delays.elements
    #expect(Array(drawn.prefix(6)) == Array(drawn.suffix(6)))
    #expect(Set(drawn).count == 6)
  }

  @Test("The context of an attempt contains its index, the limit and whether it is the last")
  func context() async {
    let seen = Log<String>()
    let operation = Block<Void> { context in
      let index = context.operationRetryIndex.map(String.init) ?? "first"
      seen.append("\(index) of \(context.operationMaxRetries)\(context.isLastRetryAttempt ? ", last" : "")")
      throw TestError()
    }
    _ = try? await run(operation.retry(limit: 2))
    _ = try? await run(operation)
    #expect(seen.elements == ["first of 2", "0 of 2", "1 of 2, last", "first of 0, last"])
  }

  @Test("Only the innermost of several chained retries acts")
  func innermost() async {
    _ = try? await run(failing().retry(limit: 1).retry(limit: 5).timeout(nil).retry(limit: 7))
    #expect(attempts.elements == [nil, 0])
    _ = try? await run(failing().retry(limit: 0).retry(limit: 5))
    #expect(attempts.count == 3)
  }

  @Test("A limit changed in the context after the setup applies")
  func changedLimit() async {
    var runner = OperationRunner(failing().retry(limit: 1), context: .faking(time))
    runner.context.operationMaxRetries = 3
    _ = try? await runner.run()
    #expect(attempts.count == 4)
    runner.context.operationMaxRetries = 0
    _ = try? await runner.run()
    #expect(attempts.count == 5)
  }

  @Test("A retry that was not set up uses its own limit")
  func withoutSetup() async {
    _ = try? await failing().retry(limit: 2).run(isolation: nil, in: .faking(time), with: OperationContinuation())
    #expect(attempts.count == 3)
  }

  @Test("Retries inside an operation that runs others are not affected by one around it")
  func nested() async {
    let inner = failing().retry(limit: 1)
    let outer = Block<String> { context in
      try await OperationRunner(inner, context: context).run()
    }
    _ = try? await run(outer.retry(limit: 2))
    #expect(attempts.elements == [nil, 0, nil, 0, nil, 0])
  }

  struct Decision: Sendable {
    let decision: RetryDecision
    let error: any Error
    let delays: [Duration]
    let reason: RetryGiveUpReason
  }

  static let decisions = [
    Decision(decision: .retry, error: TestError(), delays: [.seconds(1), .seconds(1)], reason: .limit),
    Decision(decision: .noOpinion, error: TestError(), delays: [.seconds(1), .seconds(1)], reason: .limit),
    Decision(
      decision: .retryAfter(.seconds(90)), error: TestError(), delays: [.seconds(90), .seconds(90)], reason: .limit),
    Decision(decision: .stop(reason: "no use"), error: TestError(), delays: [], reason: .stopped("no use")),
    Decision(
      decision: .noOpinion, error: HintingError(retryAfter: .seconds(120)), delays: [.seconds(120), .seconds(120)],
      reason: .limit),
    Decision(
      decision: .noOpinion, error: HintingError(retryAfter: nil), delays: [.seconds(1), .seconds(1)], reason: .limit),
    Decision(
      decision: .noOpinion, error: HintingError(retryAfter: .seconds(-5)), delays: [.zero, .zero], reason: .limit),
    Decision(
      decision: .retry, error: HintingError(retryAfter: .seconds(120)), delays: [.seconds(1), .seconds(1)],
      reason: .limit),
    Decision(
      decision: .noOpinion, error: HintingError(retryAfter: .seconds(120), retryStopReason: "gone"), delays: [],
      reason: .stopped("gone")),
    Decision(
      decision: .retry, error: HintingError(retryAfter: nil, retryStopReason: "gone"),
      delays: [.seconds(1), .seconds(1)], reason: .limit),
    Decision(
      decision: .retryAfter(.seconds(2)), error: HintingError(retryAfter: .seconds(120)),
      delays: [.seconds(2), .seconds(2)], reason: .limit),
  ]

  @Test("The policy decides, and if it has no opinion the error's hint applies", arguments: decisions)
  func decides(_ row: Decision) async {
    let gaveUp = Log<RetryGiveUpReason>()
    let operation = Block<Void> { _ in throw row.error }
    let policy = RetryPolicy(limit: 2, backoff: .constant(.seconds(1))) { _, _ in row.decision }
    _ = try? await run(operation.retry(policy)) { $0.retryObserver = RetryObserver(onGiveUp: { gaveUp.append($0) }) }
    #expect(time.delays.elements == row.delays)
    #expect(gaveUp.elements == [row.reason])
  }

  @Test("The policy receives the error and the attempt, and is called only if a retry is left")
  func asked() async {
    let seen = Log<RetryAttempt>()
    let errors = Log<Int>()
    let policy = RetryPolicy(limit: 2, backoff: .constant(.seconds(3))) { error, attempt in
      seen.append(attempt)
      errors.append((error as? TestError)?.number ?? -1)
      return .noOpinion
    }
    _ = try? await run(failing().retry(policy))
    #expect(
      seen.elements == [
        RetryAttempt(number: 1, maxRetries: 2, elapsed: .zero),
        RetryAttempt(number: 2, maxRetries: 2, elapsed: .seconds(3)),
      ])
    #expect(errors.elements == [1, 2])
  }

  @Test("The observer is notified of attempts, waits, wake-ups and the end, in order")
  func observer() async throws {
    let events = Log<String>()
    let states = Log<RetryState>()
    let observer = RetryObserver(
      onAttempt: { events.append("attempt \($0)") },
      onWait: {
        events.append("wait \($0.delay) after \($0.attempt), due \($0.due.seconds - 1_000_000)")
        states.append($0.state)
      },
      onWake: { events.append("wake \($0)") },
      onGiveUp: { events.append("give up \($0)") })
    let policy = RetryPolicy(limit: 2, backoff: OperationBackoff(.linear, base: .seconds(5), jitter: .none))
    _ = try? await run(failing().retry(policy)) { $0.retryObserver = observer }
    #expect(
      events.elements == [
        "attempt 1", "wait 5.0 seconds after 1, due 5", "wake delay",
        "attempt 2", "wait 10.0 seconds after 2, due 15", "wake delay",
        "attempt 3", "give up limit",
      ])
    let expected = RetryState(
      attemptsUsed: 2, previousDelay: .seconds(10), elapsed: .seconds(5), remainingDelay: .seconds(10))
    #expect(states.elements.last == expected)
  }

  @Test("An observer is notified of the only attempt of an operation that is not retried")
  func observedWithoutRetries() async throws {
    let seen = Log<Int>()
    let observer = RetryObserver(onAttempt: { seen.append($0) })
    let value = try await run(failing(0).retry(limit: 0)) { $0.retryObserver = observer }
    #expect(value == "done")
    #expect(seen.elements == [1])
  }

  @Test("Yielded values pass through a retry")
  func yields() async throws {
    struct Yielding: OperationRequest {
      func run(
        isolation: isolated (any Actor)?, in context: OperationContext,
        with continuation: OperationContinuation<Int, TestError>
      ) async throws(TestError) -> Int {
        continuation.yield(1)
        continuation.yield(error: TestError(number: 7))
        return 2
      }
    }
    let seen = Log<Result<Int, TestError>>()
    let value = try await OperationRunner(Yielding().retry(limit: 1).timeout(.seconds(60)).repeating(nil)).run(
      with: OperationContinuation { result, _ in seen.append(result.mapError { $0 as? TestError ?? TestError() }) })
    #expect(value == 2)
    #expect(seen.elements == [.success(1), .failure(TestError(number: 7))])
  }
}
