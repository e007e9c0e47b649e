import Operations
import Testing

@Suite("Operation store")
struct OperationStoreTests {
  @Test("A detached store has no defaults: it does not run automatically, is stale, and does not retry")
  func detached() async {
    let count = Log<Int>()
    let query = TestQuery<Int, any Error> { _, _ in throw TestError(number: count.append(0)) }
    let store = OperationStore.detached(query)
    #expect(!store.isAutomaticRunningEnabled)
    #expect(store.isStale)
    #expect(store.context.operationMaxRetries == 0)
    let subscription = store.subscribe(with: OperationEventHandler())
    #expect(count.count == 0)
    await #expect(throws: TestError(number: 1)) { try await store.fetch() }
    #expect(count.count == 1)
    subscription.cancel()
  }

  @Test("The value of a run is applied to the state")
  func run() async throws {
    let store = OperationStore.detached(countingQuery())
    #expect(store.status.isIdle)
    #expect(try await store.run() == 1)
    #expect(store.currentValue == 1)
    #expect(store.status.resultValue == 1)
    #expect(!store.isLoading)
    #expect(store.valueUpdateCount == 1)
  }

  @Test("Success clears the error but not its count, and failure keeps the value")
  func successAndFailure() async throws {
    let count = Log<Int>()
    let query = TestQuery<Int, any Error> { _, _ in
      let number = count.append(0)
      if number == 2 { throw TestError(number: number) }
      return number
    }
    let store = OperationStore.detached(query)
    try await store.fetch()
    await #expect(throws: TestError.self) { try await store.fetch() }
    #expect(store.currentValue == 1)
    #expect(store.error as? TestError == TestError(number: 2))
    #expect(store.status.isFailure)
    try await store.fetch()
    #expect(store.error == nil)
    #expect(store.errorUpdateCount == 1)
    #expect(store.errorLastUpdatedAt != nil)
    #expect(store.currentValue == 3)
  }

  @Test("The status follows the order of updates, even if the clock stands still")
  func frozenClock() {
    let store = OperationStore.detached(countingQuery(), context: .faking(FakeTime()))
    store.setResult(to: .failure(TestError()))
    #expect(store.status.isFailure)
    store.currentValue = 5
    #expect(store.status.resultValue == 5)
    store.setResult(to: .failure(TestError()))
    #expect(store.status.isFailure)
    #expect(store.valueLastUpdatedAt == store.errorLastUpdatedAt)
  }

  @Test("The events of one run arrive in order")
  func eventOrder() async throws {
    let log = Log<String>()
    let query = TestQuery<Int, any Error> { _, continuation in
      continuation.yield(1)
      return 2
    }
    let store = OperationStore.detached(query)
    try await store.fetch(handler: store.logging(to: log))
    #expect(
      log.elements == [
        "state nil loading", "started", "yieldedResult 1", "state Optional(1) loading", "returnedFinalResult 2",
        "ended", "state Optional(2)",
      ])
  }

  @Test("A handler of one run is not a subscriber")
  func temporaryHandler() async throws {
    let counts = Log<Int>()
    let store = OperationStore.detached(countingQuery())
    try await store.fetch(
      handler: OperationEventHandler(onRunStarted: { _ in counts.append(store.subscriberCount) }))
    #expect(counts.elements == [0])
    try await store.fetch()
    #expect(counts.count == 1)
  }

  @Test("A result yielded after the end is dropped, with a warning")
  func lateYield() async throws {
    let warnings = Log<OperationWarning>()
    let kept = Log<OperationContinuation<Int, any Error>>()
    let query = TestQuery<Int, any Error> { _, continuation in
      kept.append(continuation)
      return 1
    }
    var context = OperationContext()
    context.operationWarningHandler = { warnings.append($0) }
    let store = OperationStore.detached(query, context: context)
    try await store.fetch()
    kept.elements[0].yield(2)
    #expect(store.currentValue == 1)
    #expect(warnings.elements == [.yieldAfterEnd(["test"])])
  }

  @Test("A reset cancels the run and restores the initial state, even if the run ignores its cancellation")
  func resetIgnored() async {
    let turnstile = Turnstile()
    let query = TestQuery<Int, any Error> { _, _ in
      try? await turnstile.pass()
      return 1
    }
    let store = OperationStore.detached(query, initialValue: 0)
    store.currentValue = 5
    let task = Task { try await store.fetch() }
    await turnstile.arrives()
    store.resetState()
    #expect(store.currentValue == 0)
    #expect(store.status.isIdle)
    _ = await task.result
    #expect(store.currentValue == 0)
    #expect(store.status.isIdle)
    #expect(store.valueUpdateCount == 0)
  }

  @Test("A caller waiting for a run that a reset cancels gets its cancellation")
  func resetHeeded() async {
    let turnstile = Turnstile()
    let store = OperationStore.detached(
      TestQuery<Int, any Error> { _, _ in
        try await turnstile.pass()
        return 1
      })
    let task = Task { try await store.fetch() }
    await turnstile.arrives()
    store.resetState()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(store.error == nil)
  }

  @Test("Cancelling the waiting task cancels the run")
  func cancelWaiter() async {
    let turnstile = Turnstile()
    let store = OperationStore.detached(
      TestQuery<Int, any Error> { _, _ in
        try await turnstile.pass()
        return 1
      })
    let task = Task { try await store.fetch() }
    await turnstile.arrives()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(store.status.isCancelled)
    #expect(turnstile.waitingCount == 0)
  }

  @Test("A task cancelled before it starts will start cancelled")
  func cancelUnstarted() async {
    let wasCancelled = Log<Bool>()
    let store = OperationStore.detached(
      TestQuery<Int, any Error> { _, _ in
        wasCancelled.append(Task.isCancelled)
        return 1
      })
    let task = store.fetchTask()
    task.cancel()
    #expect(!task.hasStarted)
    #expect(store.status.isIdle)
    await #expect(throws: Never.self) { try await task.runIfNeeded() }
    #expect(wasCancelled.elements == [true])
  }

  @Test("Exclusive access combines several changes, nests, and notifies handlers afterwards")
  func exclusive() async {
    let log = Log<Int?>()
    let store = OperationStore.detached(countingQuery(), initialValue: 0)
    let subscription = store.subscribe(
      with: OperationEventHandler(onStateChanged: { s, _ in log.append(s.currentValue) }))
    store.withExclusiveAccess { store in
      store.currentValue = 1
      store.withExclusiveAccess { $0.currentValue = 2 }
      #expect(log.elements == [0])
    }
    #expect(log.elements == [0, 1, 2])
    await withTaskGroup(of: Void.self) { group in
      for _ in 1...8 {
        group.addTask {
          for _ in 1...100 { store.withExclusiveAccess { $0.currentValue = ($0.currentValue ?? 0) + 1 } }
        }
      }
    }
    #expect(store.currentValue == 802)
    subscription.cancel()
  }

  @Test("States form a sequence that starts with the current one, and its iteration counts as a subscriber")
  func states() async throws {
    let store = OperationStore.detached(countingQuery(), initialValue: 7)
    var iterator = store.states.makeAsyncIterator()
    #expect(store.subscriberCount == 1)
    #expect(await iterator.next()?.state.currentValue == 7)
    store.currentValue = 8
    #expect(await iterator.next()?.state.currentValue == 8)
    let task = Task { for await _ in store.states {} }
    task.cancel()
    await task.value
    #expect(store.subscriberCount == 1)
  }

  @Test("A slow reader of states gets the newest and misses the oldest")
  func statesFarBehind() async throws {
    let store = OperationStore.detached(countingQuery(), initialValue: 0)
    var iterator = store.states.makeAsyncIterator()
    for number in 1...10_000 { store.currentValue = number }
    var seen: [Int?] = []
    while seen.last != 10_000 { seen.append(await iterator.next()?.state.currentValue) }
    #expect(seen == (9_937...10_000).map { $0 })
  }

  @Test("Values and controllers are released with the store")
  func release() async throws {
    final class Token: Sendable {}
    struct Holder: OperationController {
      let token: Token
      func control(with controls: OperationControls<QueryState<Token, any Error>>) -> OperationSubscription {
        OperationSubscription { [token] in withExtendedLifetime(token) {} }
      }
    }
    weak var value: Token?
    weak var controller: Token?
    weak var weakStore: OperationStore<QueryState<Token, any Error>>?
    do {
      let inController = Token()
      controller = inController
      let query = TestQuery<Token, any Error> { _, _ in Token() }.controlled(by: Holder(token: inController))
      let store = OperationStore.detached(query)
      weakStore = store
      value = try await store.fetch()
      #expect(value != nil)
      #expect(controller != nil)
    }
    #expect(value == nil)
    #expect(controller == nil)
    #expect(weakStore == nil)
  }
}

extension OperationStore {
  func logging(to log: Log<String>) -> OperationEventHandler<State> {
    OperationEventHandler(
      onStateChanged: { state, _ in
        log.append("state \(state.currentValue)" + (state.isLoading ? " loading" : ""))
      },
      onRunStarted: { _ in log.append("started") },
      onRunEnded: { _ in log.append("ended") },
      onResultReceived: { result, context in
        let reason = context.operationResultUpdateReason.map { "\($0)" } ?? "?"
        switch result {
        case .success(let value): log.append("\(reason) \(value)")
        case .failure(let error): log.append("\(reason) \(type(of: error))")
        }
      })
  }
}
