import Operations
import Testing

@Suite("Retry deadline")
struct RetryDeadlineTests {
  private let time = FakeTime()
  private let attempts = Log<Int>()
  private let gaveUp = Log<RetryGiveUpReason>()

  private func context(delayer: (any OperationDelayer)? = nil) -> OperationContext {
    var context = OperationContext.faking(time)
    context.operationDelayer = delayer ?? time
    context.retryObserver = RetryObserver(onGiveUp: { [gaveUp] in gaveUp.append($0) })
    return context
  }

  /// Waits for retries by the fake clock, but never lets the deadline expire.
  private struct WaitsOnly: OperationDelayer {
    let time: FakeTime
    let longest: Duration

    nonisolated(nonsending) func delay(for duration: Duration) async throws {
      guard duration > longest else { return try await time.delay(for: duration) }
      try await ContinuousClock().sleep(for: .seconds(3_600))
    }
  }

  @Test("A wait that would reach the deadline is not started, and the last error is thrown")
  func waitPastDeadline() async {
    let operation = Block<Void> { [attempts, time] _ in
      time.advance(by: .seconds(1))
      throw TestError(number: attempts.append(0))
    }
    let policy = RetryPolicy(limit: 100, backoff: .constant(.seconds(2)), deadline: .seconds(9))
    let runner = OperationRunner(
      operation.retry(policy), context: context(delayer: WaitsOnly(time: time, longest: .seconds(2))))
    // Attempts start at 0, 3 and 6 s; the next one would start at 9 s.
    await #expect(throws: TestError(number: 3)) { try await runner.run() }
    #expect(gaveUp.elements == [.deadline])
    #expect(time.delays.elements == [.seconds(2), .seconds(2)])
  }

  @Test("A hint that reaches the deadline ends the retry immediately")
  func hint() async {
    let policy = RetryPolicy(limit: 5, deadline: .seconds(30))
    let operation = Block<Void> { _ in throw HintingError(retryAfter: .seconds(30)) }
    let runner = OperationRunner(
      operation.retry(policy), context: context(delayer: WaitsOnly(time: time, longest: .zero)))
    await #expect(throws: HintingError.self) { try await runner.run() }
    #expect(gaveUp.elements == [.deadline])
    #expect(time.delays.count == 0)
  }

  @Test("An attempt that is still running at the deadline is cancelled, and the deadline error is thrown")
  func running() async {
    let delayer = ManualDelayer()
    let ended = Log<Bool>()
    let operation = Block<Void> { _ in
      defer { ended.append(Task.isCancelled) }
      try await ContinuousClock().sleep(for: .seconds(3_600))
    }
    let runner = OperationRunner(
      operation.retry(RetryPolicy(limit: 3, deadline: .seconds(30))), context: context(delayer: delayer))
    let end = Task { try await runner.run() }
    #expect(await delayer.begins() == .seconds(30))
    delayer.endOne()
    await #expect(throws: RetryDeadlineError(deadline: .seconds(30))) { try await end.value }
    #expect(ended.elements == [true])
    #expect(gaveUp.elements == [.deadline])
  }

  @Test("Time spent before a resume counts towards the deadline")
  func resumed() async {
    var context = context()
    context.retryState = RetryState(attemptsUsed: 1, elapsed: .seconds(8), remainingDelay: .seconds(2))
    let operation = Block<Void> { [attempts] _ in attempts.append(0) }
    let runner = OperationRunner(operation.retry(RetryPolicy(limit: 3, deadline: .seconds(10))), context: context)
    await #expect(throws: RetryDeadlineError(deadline: .seconds(10))) { try await runner.run() }
    #expect(attempts.count == 0)
    #expect(gaveUp.elements == [.deadline])
  }

  @Test("A deadline limits an operation that is not retried")
  func withoutRetries() async {
    let operation = Block<Void> { [attempts] _ in attempts.append(0) }
    let runner = OperationRunner(operation.retry(RetryPolicy(deadline: .zero)), context: context())
    await #expect(throws: RetryDeadlineError(deadline: .zero)) { try await runner.run() }
    #expect(attempts.count == 0)
  }

  @Test("If the failure cannot be a deadline error, the outcome of the late attempt is used, and no other is made")
  func typed() async throws {
    let delayer = ManualDelayer()
    let query = TestQuery<Int, TestError> { [attempts] _, _ throws(TestError) in
      guard attempts.append(0) == 1 else { return -1 }
      while !Task.isCancelled { await Task.yield() }
      return 7
    }
    let runner = OperationRunner(
      query.retry(RetryPolicy(limit: 3, deadline: .seconds(30))), context: context(delayer: delayer))
    let end = Task { try await runner.run() }
    #expect(await delayer.begins() == .seconds(30))
    delayer.endOne()
    #expect(try await end.value == 7)
    #expect(attempts.count == 1)
    #expect(gaveUp.elements == [.deadline])
  }

  @Test("If the failure cannot be a deadline error and no attempt was made, a cancelled one is made")
  func typedWithoutAttempt() async throws {
    let query = TestQuery<Bool, TestError> { [attempts] _, _ throws(TestError) in
      attempts.append(0)
      return Task.isCancelled
    }
    let runner = OperationRunner(query.retry(RetryPolicy(limit: 3, deadline: .zero)), context: context())
    #expect(try await runner.run())
    #expect(attempts.count == 1)
  }
}
