import Operations
import Synchronization
import Testing

@Suite("Subscriptions to a store")
struct SubscriptionTests {
  private let turnstile = Turnstile()
  private let count = Log<Int>()

  private var automatic: ModifiedOperation<TestQuery<Int, any Error>, ContextModifier<TestQuery<Int, any Error>>> {
    TestQuery<Int, any Error> { [turnstile, count] _, _ in
      let number = count.append(0)
      try await turnstile.pass()
      return number
    }.disableAutomaticRunning(false)
  }

  @Test("A subscriber gets the current state immediately, and the first one starts a run")
  func firstSubscriber() async {
    let log = Log<Bool>()
    let store = OperationStore.detached(automatic)
    let first = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in log.append(state.isLoading) }))
    await turnstile.arrives()
    #expect(log.elements == [false, true])
    let second = store.subscribe(with: OperationEventHandler())
    #expect(store.subscriberCount == 2)
    turnstile.open()
    await store.reaches { $0.currentValue == 1 }
    #expect(count.count == 1)
    first.cancel()
    second.cancel()
    #expect(store.subscriberCount == 0)
  }

  @Test("A subscription after all others have ended starts another run, unless the store is not stale")
  func again() async {
    let store = OperationStore.detached(automatic.staleWhen { state, _ in state.valueUpdateCount < 2 })
    for round in 1...2 {
      let subscription = store.subscribe(with: OperationEventHandler())
      await turnstile.arrives(round)
      turnstile.open()
      await store.reaches { $0.currentValue == round }
      subscription.cancel()
    }
    let subscription = store.subscribe(with: OperationEventHandler())
    #expect(!store.isLoading)
    #expect(count.count == 2)
    subscription.cancel()
  }

  @Test("When the last subscriber leaves, the run of the first one is cancelled")
  func lastLeaves() async {
    let ended = AsyncStream<Void>.makeStream()
    let store = OperationStore.detached(
      automatic.handleEvents(with: OperationEventHandler(onRunEnded: { _ in ended.continuation.yield() })))
    let first = store.subscribe(with: OperationEventHandler())
    let second = store.subscribe(with: OperationEventHandler())
    await turnstile.arrives()
    first.cancel()
    #expect(turnstile.waitingCount == 1)
    second.cancel()
    var iterator = ended.stream.makeAsyncIterator()
    _ = await iterator.next()
    #expect(turnstile.waitingCount == 0)
    #expect(store.error is CancellationError)
  }

  @Test("A handler may cancel its own subscription, and subscribe, from its callback")
  func reentrant() {
    let store = OperationStore.detached(countingQuery())
    let log = Log<String>()
    let held = Mutex<[OperationSubscription]>([])
    let own = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in
        guard state.currentValue != nil else { return }
        log.append("own")
        held.withLock { $0.popLast() }?.cancel()
        let new = store.subscribe(
          with: OperationEventHandler(onStateChanged: { state, _ in
            log.append("new \(state.currentValue ?? 0)")
          }))
        held.withLock { $0.append(new) }
      }))
    held.withLock { $0.append(own) }
    store.currentValue = 1
    store.currentValue = 2
    #expect(log.elements == ["own", "new 1", "new 2"])
    #expect(store.subscriberCount == 1)
  }

  @Test("A handler may cancel another one, which is no longer called")
  func cancelOther() {
    let store = OperationStore.detached(countingQuery())
    let log = Log<String>()
    let other = Mutex<OperationSubscription?>(nil)
    let first = store.subscribe(
      with: OperationEventHandler(onStateChanged: { _, _ in other.withLock { $0 }?.cancel() }))
    let second = store.subscribe(with: OperationEventHandler(onStateChanged: { _, _ in log.append("second") }))
    other.withLock { $0 = second }
    store.currentValue = 1
    #expect(log.elements == ["second"])
    first.cancel()
  }

  @Test("Handlers are called in the order of their subscription")
  func order() {
    let store = OperationStore.detached(countingQuery())
    let log = Log<Int>()
    let subscriptions = (0..<20).map { number in
      store.subscribe(
        with: OperationEventHandler(onStateChanged: { state, _ in
          if state.currentValue != nil { log.append(number) }
        }))
    }
    store.currentValue = 1
    #expect(log.elements == Array(0..<20))
    withExtendedLifetime(subscriptions) {}
  }

  @Test("A change made by a handler is delivered after all handlers have received the previous one")
  func changeInHandler() {
    let store = OperationStore.detached(countingQuery())
    let log = Log<String>()
    let first = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in
        guard let value = state.currentValue else { return }
        log.append("first \(value)")
        if value < 3 { store.currentValue = value + 1 }
      }))
    let second = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in
        if let value = state.currentValue { log.append("second \(value)") }
      }))
    store.currentValue = 1
    #expect(log.elements == ["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"])
    first.cancel()
    second.cancel()
  }

  @Test("Handlers of the request are notified of runs, and do not count as subscribers")
  func handleEvents() async throws {
    let log = Log<String>()
    let query = countingQuery().handleEvents(
      with: OperationEventHandler(
        onRunStarted: { _ in log.append("started") }, onRunEnded: { _ in log.append("ended") },
        onResultReceived: { result, _ in log.append("result") }))
    let store = OperationStore.detached(query)
    #expect(store.subscriberCount == 0)
    try await store.fetch()
    #expect(log.elements == ["started", "result", "ended"])
  }
}
