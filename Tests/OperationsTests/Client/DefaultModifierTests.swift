import Operations
import OperationsTesting
import Synchronization
import Testing

@Suite("Defaults added by a client")
struct DefaultModifierTests {
  private let attempts = Log<Int>()

  private var failing: TestQuery<Int, any Error> {
    TestQuery { [attempts] _, _ in throw TestError(number: attempts.append(0)) }
  }

  private func context(_ time: FakeTime = FakeTime()) -> OperationContext { .faking(time) }

  @Test("A query makes four attempts by default")
  func defaultRetries() async {
    let time = FakeTime()
    let store = OperationClient(defaultContext: context(time)).store(for: failing)
    await #expect(throws: TestError(number: 4)) { try await store.fetch() }
    #expect(time.delays.count == 3)
    #expect(store.context.operationMaxRetries == 3)
  }

  @Test("A limit of 0 in the default context disables retries, and a later change applies to new stores")
  func contextSwitchesOff() async {
    var context = context()
    context.operationMaxRetries = 0
    let client = OperationClient(defaultContext: context)
    await #expect(throws: TestError(number: 1)) { try await client.store(for: failing).fetch() }
    client.defaultContext.operationMaxRetries = 1
    client.clearStores()
    await #expect(throws: TestError(number: 3)) { try await client.store(for: failing).fetch() }
  }

  @Test("A request's own choice takes precedence over the client's and the default context's")
  func ownChoice() async {
    var context = context()
    context.operationMaxRetries = 0
    let client = OperationClient(defaultContext: context)
    let store = client.store(for: failing.retry(limit: 1).disableAutomaticRunning())
    await #expect(throws: TestError(number: 2)) { try await store.fetch() }
    #expect(!store.isAutomaticRunningEnabled)
  }

  @Test("A completely offline request is not retried and does not need a network")
  func completelyOffline() async {
    let client = OperationClient(defaultContext: context())
    let store = client.store(for: failing.completelyOffline())
    await #expect(throws: TestError(number: 1)) { try await store.fetch() }
    #expect(store.context.operationSatisfiedConnectionStatus == .disconnected)
  }

  @Test("The testing configuration makes one attempt and does not wait")
  func testing() async {
    let store = OperationClient(configuration: .testing).store(for: failing)
    await #expect(throws: TestError(number: 1)) { try await store.fetch() }
    #expect(store.isAutomaticRunningEnabled)
  }

  @Test("Queries and paginated requests run automatically, mutations do not")
  func automatic() {
    let client = OperationClient()
    #expect(client.store(for: failing).isAutomaticRunningEnabled)
    #expect(client.store(for: Numbers()).isAutomaticRunningEnabled)
    let mutation = client.store(for: TestMutation<Int> { number, _ in number })
    #expect(!mutation.isAutomaticRunningEnabled)
    #expect(mutation.context.operationMaxRetries == 3)
    #expect(mutation.context.operationDeduplication == nil)
  }

  @Test("A mutation is retried like a query")
  func mutationRetries() async {
    let attempts = Log<Int>()
    let store = OperationClient(defaultContext: context()).store(
      for: TestMutation<Int> { _, _ in throw TestError(number: attempts.append(0)) })
    await #expect(throws: TestError(number: 4)) { try await store.mutate(with: 1) }
  }

  @Test("Overlapping fetches share one retry loop")
  func sharedRetries() async {
    let delayer = ManualDelayer()
    var context = context()
    context.operationDelayer = delayer
    let store = OperationClient(defaultContext: context, configuration: OperationClientConfiguration(retryLimit: 1))
      .store(for: failing.disableAutomaticRunning())
    let first = Task { try await store.fetch() }
    _ = await delayer.begins()
    let second = Task { try await store.fetch() }
    await store.reaches { $0.activeTasks.count == 2 }
    delayer.endOne()
    _ = await (first.result, second.result)
    #expect(attempts.count == 2)
  }

  @Test("Cancelling during the backoff ends the run immediately with a cancellation and uses no attempt")
  func cancelDuringBackoff() async {
    let delayer = ManualDelayer()
    var context = context()
    context.operationDelayer = delayer
    let store = OperationClient(defaultContext: context).store(for: failing)
    let task = Task { try await store.fetch() }
    _ = await delayer.begins()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(attempts.count == 1)
    #expect(store.status.isCancelled)
  }

  @Test("With observers, queries rerun when both are satisfied; without any, nothing is observed")
  func observers() async {
    let network = MockNetworkObserver(.disconnected)
    let activity = MockApplicationActivityObserver(isActive: true)
    let configuration = OperationClientConfiguration.testing.observing(network: network, activity: activity)
    let client = OperationClient(configuration: configuration)
    let turnstile = Turnstile()
    let query = TestQuery<Int, any Error> { _, _ in
      try await turnstile.pass()
      return 1
    }
    let store = client.store(for: query)
    let subscription = store.subscribe(with: OperationEventHandler())
    await turnstile.arrives(1)
    turnstile.open()
    await store.reaches { $0.currentValue == 1 }
    network.send(.connected)
    await turnstile.arrives(2)
    turnstile.open()
    await store.reaches { !$0.isLoading }
    activity.send(isActive: false)
    #expect(!store.isLoading)
    activity.send(isActive: true)
    await turnstile.arrives(3)
    turnstile.open()
    subscription.cancel()
    #expect(OperationClient().store(for: query).context.operationControllers.isEmpty)
  }

  @Test("A typed failure keeps its type through the client's retry")
  func typedFailure() async {
    let attempts = attempts
    let query = TestQuery<Int, TestError> { _, _ throws(TestError) in
      throw TestError(number: attempts.append(0))
    }
    let store = OperationClient(defaultContext: context()).store(for: query)
    await #expect(throws: TestError(number: 4)) { try await store.fetch() }
    #expect(store.error == TestError(number: 4))
  }

  @Test("If a typed failure cannot be a cancellation, a cancelled backoff ends with the last failure")
  func typedCancellation() async {
    let attempts = attempts
    let delayer = ManualDelayer()
    var context = context()
    context.operationDelayer = delayer
    let query = TestQuery<Int, TestError> { _, _ throws(TestError) in
      throw TestError(number: attempts.append(0))
    }
    let store = OperationClient(defaultContext: context).store(for: query)
    let task = Task { try await store.fetch() }
    _ = await delayer.begins()
    task.cancel()
    await #expect(throws: TestError(number: 1)) { try await task.value }
    #expect(attempts.count == 1)
  }
}
