import Operations
import OperationsTesting
import Testing

/// Tests the rows of `Documentation/cancellation.md` that no other suite covers.
@Suite("Cancellation table")
struct CancellationTableTests {
  private typealias Store = OperationStore<QueryState<Int, any Error>>

  private let turnstile = Turnstile()
  private let count = Log<Int>()

  private var query: TestQuery<Int, any Error> {
    TestQuery { [turnstile, count] _, _ in
      let number = count.append(0)
      try await turnstile.pass()
      return number
    }
  }

  @Test("Cancelling one run does not affect other runs of the store")
  func otherRuns() async throws {
    let store = OperationStore.detached(query)
    let first = Task { try await store.fetch() }
    await turnstile.arrives()
    let second = Task { try await store.fetch() }
    await turnstile.arrives(2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(store.isLoading)
    turnstile.open()
    #expect(try await second.value == 2)
    #expect(store.status.resultValue == 2)
  }

  @Test("The result of work that ignores its cancellation is applied")
  func ignored() async throws {
    let gate = Turnstile()
    let store = OperationStore.detached(
      TestQuery<Int, any Error> { _, _ in
        await Task { try? await gate.pass() }.value
        return 7
      })
    let task = Task { try await store.fetch() }
    await gate.arrives()
    task.cancel()
    gate.open()
    #expect(try await task.value == 7)
    #expect(store.currentValue == 7)
    #expect(store.error == nil)
  }

  @Test("Handlers are notified of a cancelled run as of a failed one")
  func events() async {
    let store = OperationStore.detached(query)
    let log = Log<String>()
    let subscription = store.subscribe(with: store.logging(to: log))
    let task = Task { try await store.fetch() }
    await turnstile.arrives()
    task.cancel()
    _ = await task.result
    #expect(
      log.elements == [
        "state nil", "state nil loading", "started", "returnedFinalResult Error", "ended", "state nil",
      ])
    #expect(store.status.isCancelled)
    subscription.cancel()
  }

  @Test(
    "Handlers are notified when a waiter leaves a shared execution, while the state is still loading without an error")
  func eventsOfWaiter() async throws {
    let store = OperationStore.detached(query.deduplicated())
    let first = Task { try await store.fetch() }
    await turnstile.arrives()
    let second = Task { try await store.fetch() }
    await store.reaches { $0.activeTasks.count == 2 }
    let log = Log<String>()
    let subscription = store.subscribe(with: store.logging(to: log))
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(
      log.elements == [
        "state nil loading", "returnedFinalResult Error", "ended", "state nil loading",
      ])
    #expect(store.error == nil)
    turnstile.open()
    #expect(try await first.value == 1)
    subscription.cancel()
  }

  @Test("The last subscriber cancels only the run that subscribing started")
  func askedFor() async throws {
    let store = OperationStore.detached(query)
    let subscription = store.subscribe(with: OperationEventHandler())
    let task = Task { try await store.fetch() }
    await turnstile.arrives()
    subscription.cancel()
    turnstile.open()
    #expect(try await task.value == 1)
  }

  @Test("A run that subscribing started continues for other callers when the last subscriber leaves")
  func shared() async throws {
    let store = OperationStore.detached(query.deduplicated().disableAutomaticRunning(false))
    let subscription = store.subscribe(with: OperationEventHandler())
    await turnstile.arrives()
    // It has joined the run when this line returns; that a run is active says less.
    let task = Task.immediate { try await store.fetch() }
    subscription.cancel()
    #expect(turnstile.waitingCount == 1)
    turnstile.open()
    #expect(try await task.value == 1)
    #expect(count.count == 1)
  }

  @Test("Disabling automatic running cancels nothing")
  func automaticRunning() async {
    let specification = TestRunSpecification(true)
    let store = OperationStore.detached(query.enableAutomaticRunning(onlyWhen: specification))
    let subscription = store.subscribe(with: OperationEventHandler())
    await turnstile.arrives()
    specification.isSatisfied = false
    #expect(store.isLoading)
    turnstile.open()
    await store.reaches { $0.currentValue == 1 }
    subscription.cancel()
  }

  @Test("Setting a value by hand or by a controller cancels nothing")
  func setByHand() async throws {
    let controls = Box<OperationControls<QueryState<Int, any Error>>>()
    let store = OperationStore.detached(query.controlled(by: Capturing(controls: controls)))
    let task = Task { try await store.fetch() }
    await turnstile.arrives()
    store.currentValue = 10
    controls.value?.yield(11)
    controls.value?.yield(throwing: TestError())
    #expect(store.isLoading)
    turnstile.open()
    #expect(try await task.value == 1)
    #expect(store.currentValue == 1)
  }

  @Test("Cancelling a controller's task cancels the rerun that it waits for")
  func controller() async throws {
    let controls = Box<OperationControls<QueryState<Int, any Error>>>()
    let store = OperationStore.detached(
      query.disableAutomaticRunning(false).controlled(by: Capturing(controls: controls)))
    let held = try #require(controls.value)
    let task = Task { try await held.yieldRerun() }
    await turnstile.arrives()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(store.status.isCancelled)
  }

  @Test("A reset by a controller cancels the runs of the store")
  func resetByController() async throws {
    let controls = Box<OperationControls<QueryState<Int, any Error>>>()
    let store = OperationStore.detached(query.controlled(by: Capturing(controls: controls)), initialValue: 5)
    let task = Task { try await store.fetch() }
    await turnstile.arrives()
    controls.value?.yieldResetState()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(store.status.isIdle)
    #expect(store.currentValue == 5)
  }

  @Test("Removing a store from its client cancels nothing", arguments: [false, true])
  func eviction(underPressure: Bool) async throws {
    let pressure = MockMemoryPressureSource()
    let client = OperationClient(configuration: .testing, memoryPressureSource: pressure)
    let task = Task { [query] in try await client.store(for: query).fetch() }
    await turnstile.arrives()
    if underPressure { pressure.send(.critical) } else { client.clearStores() }
    #expect(client.stores(matching: []).isEmpty)
    turnstile.open()
    #expect(try await task.value == 1)
  }

  @Test("A started run continues after its store and client have been released")
  func released() async throws {
    let task: OperationTask<Int, any Error>
    weak var client: OperationClient?
    do {
      let own = OperationClient(configuration: .testing)
      client = own
      task = own.store(for: query).fetchTask()
      task.start()
    }
    await turnstile.arrives()
    #expect(client == nil)
    turnstile.open()
    #expect(try await task.runIfNeeded() == 1)
  }

  @Test("A cancelled task stops waiting for its dependency, and cancels it if no other caller needs it")
  func dependencies() async throws {
    for isHeld in [false, true] {
      let gate = Turnstile()
      let first = OperationTask<Int, any Error> { _ in
        try await gate.pass()
        return 1
      }
      let second = OperationTask<Bool, any Error> { _ in Task.isCancelled }
      try second.schedule(after: first)
      if isHeld { first.start() }
      let task = Task { try await second.runIfNeeded() }
      await gate.arrives()
      task.cancel()
      #expect(try await task.value)
      #expect(first.isCancelled != isHeld)
      gate.open()
      if isHeld { #expect(try await first.runIfNeeded() == 1) }
    }
  }

  @Test("A cancelled task does not cancel a dependency as long as another task is scheduled after it")
  func sharedDependency() async throws {
    for isDropped in [false, true] {
      let gate = Turnstile()
      let shared = OperationTask<Int, any Error> { _ in
        try await gate.pass()
        return 1
      }
      let cancelled = OperationTask<Bool, any Error> { _ in Task.isCancelled }
      try cancelled.schedule(after: shared)
      var other: OperationTask<Int?, any Error>? = OperationTask { _ in try shared.finishedResult?.get() }
      try other?.schedule(after: shared)
      let task = Task { try await cancelled.runIfNeeded() }
      await gate.arrives()
      task.cancel()
      #expect(try await task.value)
      #expect(!shared.isCancelled)
      if isDropped {
        other = nil
        #expect(shared.isCancelled)
      }
      gate.open()
      if let other { #expect(try await other.runIfNeeded() == 1) }
    }
  }

  @Test("A cancelled task does not start its dependencies")
  func unbegunDependency() async throws {
    let first = OperationTask<Bool, any Error> { _ in Task.isCancelled }
    let second = OperationTask<Bool, any Error> { _ in Task.isCancelled }
    let third = OperationTask<Void, any Error> { _ in }
    try second.schedule(after: first)
    try third.schedule(after: first)
    second.cancel()
    #expect(try await second.runIfNeeded())
    #expect(!first.hasStarted && !first.isCancelled)
    try await third.runIfNeeded()
    #expect(try first.finishedResult?.get() == false)
  }

  @Test("A cancelled last attempt ends with its own error")
  func lastAttempt() async {
    let operation = Block<Int> { [turnstile, count] _ in
      guard count.append(0) == 2 else { throw TestError(number: 1) }
      try? await turnstile.pass()
      throw TestError(number: 2)
    }
    let task = Task { try await OperationRunner(operation.retry(limit: 1).backoff(.none)).run() }
    await turnstile.arrives()
    task.cancel()
    await #expect(throws: TestError(number: 2)) { try await task.value }
  }

  @Test("Cancelling an injection cancels the running dependency, and the dependent never runs")
  func injection() async {
    let dependent = Dependent(ran: count)
    let dependency = Block<Int> { [turnstile] _ in
      try await turnstile.pass()
      return 1
    }
    let task = Task { try await OperationRunner(dependent.injectResult(from: dependency)).run() }
    await turnstile.arrives()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(turnstile.waitingCount == 0)
    #expect(count.count == 0)
  }
}

/// Passes its controls to the test.
private struct Capturing: OperationController {
  let controls: Box<OperationControls<QueryState<Int, any Error>>>

  func control(with controls: OperationControls<QueryState<Int, any Error>>) -> OperationSubscription {
    self.controls.value = controls
    return .empty
  }
}

private struct Dependent: RequirementOperation {
  let ran: Log<Int>

  func run(
    isolation: isolated (any Actor)?, with requirement: Int, in context: OperationContext,
    with continuation: OperationContinuation<Int, any Error>
  ) async throws -> Int {
    ran.append(requirement)
  }
}
