import OperationsTesting
import Testing

@testable import Operations

@Suite("Retries that wait for an alarm")
struct RetryAlarmTests {
  /// A delayer with alarms and nothing else.
  private struct Alarms: OperationDelayer {
    let list: AlarmList

    nonisolated(nonsending) func delay(for duration: Duration) async throws {
      Issue.record("a task of its own was made to sleep")
    }

    func alarm(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> OperationSubscription? {
      list.add(after: duration, body)
    }
  }

  private let clock = TestClock()
  private let woken = Log<RetryWakeCause>()

  private func runner(_ wakers: any RetryWaker...) -> OperationRunner<some OperationRequest<Int, any Error>> {
    var context = OperationContext()
    context.operationClock = clock
    context.operationDelayer = Alarms(list: AlarmList(clock: clock, delayer: clock))
    context.retryObserver = RetryObserver(onWake: { [woken] in woken.append($0) })
    let operation = Block<Int> { context in
      guard let index = context.operationRetryIndex else { throw TestError(number: 1) }
      return index
    }
    let policy = RetryPolicy(limit: 3, backoff: .constant(.seconds(600)), wakers: wakers)
    return OperationRunner(operation.retry(policy), context: context)
  }

  @Test("The alarm ends the wait, with and without wakers")
  func alarm() async throws {
    let waker = FakeWaker("reachable")
    for runner in [runner(), runner(waker)] {
      let value = Task { try await runner.run() }
      await clock.hasDelays(1)
      #expect(clock.remainingDelays == [.seconds(600)])
      clock.advance(by: .seconds(600))
      #expect(try await value.value == 0)
    }
    #expect(woken.elements == [.delay, .delay])
    #expect(waker.subscriptionCount == 1)
    #expect(waker.subscriberCount == 0)
  }

  @Test("A waker ends the wait and cancels the alarm")
  func waker() async throws {
    let waker = FakeWaker("reachable")
    let runner = runner(waker)
    let value = Task { try await runner.run() }
    await clock.hasDelays(1)
    waker.fire()
    #expect(try await value.value == 0)
    #expect(woken.elements == [.waker("reachable")])
    #expect(waker.subscriberCount == 0)
    while clock.delayCount > 0 { await Task.yield() }
  }

  @Test("Cancellation ends the wait immediately and cancels the alarm")
  func cancellation() async throws {
    for runner in [runner(), runner(FakeWaker("reachable"))] {
      let task = Task { try await runner.run() }
      await clock.hasDelays(1)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      while clock.delayCount > 0 { await Task.yield() }
    }
    #expect(woken.elements == [.cancelled, .cancelled])
  }

  @Test("Many waits share one sleep")
  func many() async throws {
    let runner = runner()
    let values = (0..<100).map { _ in Task { try await runner.run() } }
    await clock.hasDelays(1)
    #expect(clock.delayCount == 1)
    for task in values { task.cancel() }
    for task in values { await #expect(throws: CancellationError.self) { try await task.value } }
    while clock.delayCount > 0 { await Task.yield() }
  }
}
