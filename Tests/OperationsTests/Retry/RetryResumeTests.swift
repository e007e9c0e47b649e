import Operations
import Testing

@Suite("Resuming a retry")
struct RetryResumeTests {
  private let time = FakeTime()
  private let indices = Log<Int?>()
  private let events = Log<String>()

  private func run(_ policy: RetryPolicy, from state: RetryState) async -> (any Error)? {
    var context = OperationContext.faking(time)
    context.retryState = state
    context.retryObserver = RetryObserver(
      onAttempt: { [events] in events.append("attempt \($0)") },
      onWait: { [events] in events.append("wait \($0.delay)") },
      onWake: { [events] in events.append("wake \($0)") })
    let operation = Block<Void> { [indices] context in
      throw TestError(number: indices.append(context.operationRetryIndex))
    }
    do {
      try await OperationRunner(operation.retry(policy), context: context).run()
      return nil
    } catch {
      return error
    }
  }

  @Test("Attempt numbers continue after the remaining delay")
  func numbersOn() async {
    let backoff = OperationBackoff(.exponential, jitter: .none)
    let error = await run(
      RetryPolicy(limit: 3, backoff: backoff),
      from: RetryState(attemptsUsed: 2, previousDelay: .seconds(2), elapsed: .seconds(4), remainingDelay: .seconds(1)))
    #expect(error as? TestError == TestError(number: 2))
    #expect(indices.elements == [1, 2])
    #expect(events.elements == ["wake delay", "attempt 3", "wait 4.0 seconds", "wake delay", "attempt 4"])
    #expect(time.delays.elements == [.seconds(1), .seconds(4)])
  }

  @Test("Resuming a retry without attempts left allows one more", arguments: [0, 2])
  func usedUp(limit: Int) async {
    _ = await run(RetryPolicy(limit: limit), from: RetryState(attemptsUsed: 9))
    #expect(indices.elements == [8])
    #expect(events.elements == ["attempt 10"])
  }

  @Test("A remaining delay can be ended early by a waker")
  func waker() async {
    struct Immediate: RetryWaker {
      let name = "online"
      func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
        onWake()
        return .empty
      }
    }
    let state = RetryState(attemptsUsed: 1, remainingDelay: .seconds(100))
    _ = await run(RetryPolicy(limit: 1, wakers: [Immediate()]), from: state)
    #expect(events.elements == ["wake waker(\"online\")", "attempt 2"])
  }

  @Test("Only the first run of a repeated operation resumes the retry")
  func repeated() async throws {
    var context = OperationContext.faking(time)
    context.retryState = RetryState(attemptsUsed: 2, remainingDelay: .seconds(7))
    let operation = Block<Void> { [indices] in _ = indices.append($0.operationRetryIndex) }
    try await OperationRunner(
      operation.retry(limit: 5).repeating(RepeatPolicy(every: .seconds(1), limit: 3)), context: context
    ).run()
    #expect(indices.elements == [1, nil, nil])
    #expect(time.delays.elements == [.seconds(7), .seconds(1), .seconds(1)])
  }
}
