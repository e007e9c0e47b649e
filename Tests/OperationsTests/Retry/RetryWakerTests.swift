import Operations
import Testing

@Suite("Retry wakers")
struct RetryWakerTests {
  private let delayer = ManualDelayer()
  private let attempts = Log<Int?>()
  private let woken = Log<RetryWakeCause>()

  private func runner(
    _ policy: RetryPolicy, failures: Int = 1
  ) -> OperationRunner<some OperationRequest<Int, any Error>> {
    var context = OperationContext()
    context.operationDelayer = delayer
    context.retryObserver = RetryObserver(onWake: { [woken] in woken.append($0) })
    let operation = Block<Int> { [attempts] context in
      let number = attempts.append(context.operationRetryIndex)
      guard number > failures else { throw TestError(number: number) }
      return number
    }
    return OperationRunner(operation.retry(policy), context: context)
  }

  private func policy(_ wakers: any RetryWaker..., limit: Int = 3) -> RetryPolicy {
    RetryPolicy(limit: limit, backoff: .constant(.seconds(600)), wakers: wakers)
  }

  @Test("A waker brings the next attempt forward and ends the delay and its own subscription")
  func forward() async throws {
    let waker = FakeWaker("reachable")
    let runner = runner(policy(FakeWaker("other"), waker))
    let value = Task { try await runner.run() }
    #expect(await delayer.begins() == .seconds(600))
    #expect(waker.subscriberCount == 1)
    waker.fire()
    #expect(try await value.value == 2)
    #expect(woken.elements == [.waker("reachable")])
    #expect(delayer.ended.elements == [true])
    #expect(waker.subscriberCount == 0)
  }

  /// A waker that also ends a wait whose length the failure has asked for.
  private struct Insistent: RetryWaker {
    let waker: FakeWaker
    var name: String { waker.name }
    var endsHintedWaits: Bool { true }

    func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription { waker.subscribe(onWake) }
  }

  @Test("A wait that the failure asked for lasts for its whole delay, unless a waker ends hinted waits too")
  func hinted() async throws {
    let (polite, insistent) = (FakeWaker("reachable"), FakeWaker("wake"))
    var context = OperationContext()
    context.operationDelayer = delayer
    context.retryObserver = RetryObserver(onWake: { [woken] in woken.append($0) })
    let operation = Block<Int> { [attempts] context in
      guard attempts.append(context.operationRetryIndex) > 1 else { throw HintingError(retryAfter: .seconds(120)) }
      return 7
    }
    let policy = policy(polite, Insistent(waker: insistent))
    let runner = OperationRunner(operation.retry(policy), context: context)
    let value = Task { try await runner.run() }
    #expect(await delayer.begins() == .seconds(120))
    #expect(polite.subscriberCount == 0)
    insistent.fire()
    #expect(try await value.value == 7)
    #expect(woken.elements == [.waker("wake")])
  }

  @Test("A waker that never fires does not postpone the attempt")
  func neverPostpones() async throws {
    let waker = FakeWaker("reachable")
    let runner = runner(policy(waker))
    let value = Task { try await runner.run() }
    _ = await delayer.begins()
    delayer.endOne()
    #expect(try await value.value == 2)
    #expect(woken.elements == [.delay])
    #expect(waker.subscriberCount == 0)
  }

  @Test("Several firings of several wakers end one wait but not the next")
  func several() async throws {
    let (first, second) = (FakeWaker("first"), FakeWaker("second"))
    let runner = runner(policy(first, second), failures: 2)
    let value = Task { try await runner.run() }
    _ = await delayer.begins()
    first.fire()
    second.fire()
    first.fire()
    _ = await delayer.begins()
    #expect(first.subscriberCount == 1)
    delayer.endOne()
    #expect(try await value.value == 3)
    #expect(woken.elements == [.waker("first"), .delay])
    #expect(first.subscriptionCount == 2)
    #expect(first.subscriberCount + second.subscriberCount == 0)
  }

  @Test("A waker that fires while it is being subscribed to ends the wait immediately")
  func immediate() async throws {
    struct Immediate: RetryWaker {
      let name = "immediate"
      func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
        onWake()
        onWake()
        return .empty
      }
    }
    #expect(try await runner(policy(Immediate())).run() == 2)
    #expect(woken.elements == [.waker("immediate")])
  }

  @Test("A waker adds no attempt beyond the limit")
  func limit() async {
    struct Immediate: RetryWaker {
      let name = "immediate"
      func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
        onWake()
        return .empty
      }
    }
    let runner = runner(policy(Immediate(), limit: 2), failures: .max)
    await #expect(throws: TestError(number: 3)) { try await runner.run() }
    #expect(attempts.count == 3)
  }

  @Test("A waker does not end a hinted wait")
  func hint() async throws {
    let waker = FakeWaker("reachable")
    var policy = policy(waker)
    policy.decide = { _, _ in .retryAfter(.seconds(90)) }
    let runner = runner(policy)
    let value = Task { try await runner.run() }
    #expect(await delayer.begins() == .seconds(90))
    #expect(waker.subscriptionCount == 0)
    delayer.endOne()
    #expect(try await value.value == 2)
  }

  @Test("Cancellation immediately ends a wait with wakers and releases them")
  func cancellation() async {
    let waker = FakeWaker("reachable")
    let runner = runner(policy(waker))
    let task = Task { try await runner.run() }
    _ = await delayer.begins()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(attempts.count == 1)
    #expect(woken.elements == [.cancelled])
    #expect(waker.subscriberCount == 0)
  }

  @Test("A delayer that fails ends the retry with the delayer's error")
  func failingDelayer() async {
    struct Broken: OperationDelayer {
      nonisolated(nonsending) func delay(for duration: Duration) async throws { throw TestError(number: -1) }
    }
    for wakers in [[], [FakeWaker("reachable")]] {
      let operation = Block<Void> { _ in throw TestError(number: 1) }
      let gaveUp = Log<RetryGiveUpReason>()
      var context = OperationContext()
      context.retryObserver = RetryObserver(onGiveUp: { gaveUp.append($0) })
      let runner = OperationRunner(
        operation.retry(RetryPolicy(limit: 3, wakers: wakers)).delayer(Broken()), context: context)
      await #expect(throws: TestError(number: -1)) { try await runner.run() }
      #expect(gaveUp.elements == [.stopped("the delay failed: TestError(number: -1)")])
    }
  }
}
