import Operations
import OperationsTesting
import Synchronization
import Testing

/// Passes its controls to the test.
final class HandingController<State: OperationState>: OperationController {
  let controls = Log<OperationControls<State>>()
  let ended = Log<Int>()

  func control(with controls: OperationControls<State>) -> OperationSubscription {
    self.controls.append(controls)
    return OperationSubscription { [ended] in ended.append(0) }
  }
}

@Suite("Operation controllers")
struct OperationControllerTests {
  private typealias State = QueryState<Int, any Error>
  private let controller = HandingController<State>()

  @Test("A controller is started once for each store and ends with it")
  func lifetime() {
    do {
      let store = OperationStore.detached(countingQuery().controlled(by: controller))
      #expect(controller.controls.count == 1)
      #expect(controller.ended.count == 0)
      withExtendedLifetime(store) {}
    }
    #expect(controller.ended.count == 1)
  }

  @Test("Controls set values and errors, reset the store, and read it")
  func yields() {
    var context = OperationContext()
    context.operationMaxRetries = 4
    let store = OperationStore.detached(countingQuery().controlled(by: controller), context: context)
    let controls = controller.controls.elements[0]
    #expect(controls.path == ["test"])
    #expect(controls.context.operationMaxRetries == 4)
    #expect(controls.isStale)
    controls.yield(5)
    #expect(store.currentValue == 5)
    #expect(controls.state.currentValue == 5)
    controls.yield(throwing: TestError())
    #expect(store.status.isFailure)
    controls.yield(with: .success(6))
    #expect(store.status.resultValue == 6)
    let subscription = store.subscribe(with: OperationEventHandler())
    #expect(controls.subscriberCount == 1)
    controls.withExclusiveAccess { $0.yield(($0.state.currentValue ?? 0) + 1) }
    #expect(store.currentValue == 7)
    controls.yieldResetState()
    #expect(store.status.isIdle)
    subscription.cancel()
  }

  @Test("A rerun is available exactly when automatic running is enabled")
  func reruns() async throws {
    let isEnabled = TestRunSpecification(false)
    let store = OperationStore.detached(
      countingQuery().enableAutomaticRunning(onlyWhen: isEnabled).controlled(by: controller))
    let controls = controller.controls.elements[0]
    #expect(!controls.canYieldRerun)
    #expect(controls.yieldRerunTask() == nil)
    #expect(try await controls.yieldRerun() == nil)
    isEnabled.set(true)
    #expect(controls.canYieldRerun)
    #expect(try await controls.yieldRerun() == 1)
    let task = try #require(controls.yieldRerunTask())
    #expect(!store.isLoading)
    #expect(try await task.runIfNeeded() == 2)
    #expect(store.currentValue == 2)
  }

  @Test("Controls of a store that no longer exists do nothing and report a warning")
  func gone() async throws {
    let warnings = Log<OperationWarning>()
    var context = OperationContext()
    context.operationWarningHandler = { warnings.append($0) }
    weak var weakStore: OperationStore<State>?
    do {
      let store = OperationStore.detached(
        countingQuery().disableAutomaticRunning(false).controlled(by: controller), initialValue: 3, context: context)
      weakStore = store
      store.currentValue = 9
    }
    #expect(weakStore == nil)
    let controls = controller.controls.elements[0]
    #expect(!controls.canYieldRerun)
    #expect(controls.yieldRerunTask() == nil)
    #expect(try await controls.yieldRerun() == nil)
    #expect(warnings.count == 0)
    controls.yield(1)
    #expect(controls.state.currentValue == 3)
    #expect(!controls.isStale)
    #expect(warnings.elements == Array(repeating: .storeGone(["test"]), count: 3))
  }

  @Test("A controller of the wrapped request sees the optional value beneath a default")
  func belowDefault() {
    let stale = Log<Int?>()
    let store = OperationStore.detached(
      countingQuery().controlled(by: controller)
        .staleWhen { state, _ in
          stale.append(state.currentValue)
          return false
        }
        .defaultValue(40), base: QueryState())
    #expect(store.currentValue == 40)
    #expect(store.status.isIdle)
    let controls = controller.controls.elements[0]
    controls.yield(nil)
    #expect(store.currentValue == 40)
    controls.yield(41)
    #expect(store.currentValue == 41)
    #expect(!store.isStale)
    #expect(stale.elements == [41])
    store.currentValue = 42
    #expect(controls.state.currentValue == 42)
  }
}

@Suite("Rerun on change", .timeLimit(.minutes(10)))
struct RerunOnChangeTests {
  private let specification = TestRunSpecification(false)
  private let turnstile = Turnstile()

  private func store(
    enabled: Bool = true, stale: Bool = true, ended: Log<Int> = Log()
  ) -> OperationStore<QueryState<Int, any Error>> {
    let query = TestQuery<Int, any Error> { [turnstile] _, _ in
      try await turnstile.pass()
      return 1
    }
    return .detached(
      query.rerunOnChange(of: specification).staleWhen { state, _ in stale && state.errorUpdateCount >= 0 }
        .disableAutomaticRunning(!enabled)
        .handleEvents(with: OperationEventHandler(onRunEnded: { _ in ended.append(0) })),
      initialValue: 0)
  }

  /// Subscribes without starting the run of the first subscriber.
  private func subscribe(to store: OperationStore<QueryState<Int, any Error>>) -> OperationSubscription {
    let context = store.context
    store.context.operationAutomaticRunningSpecification = .never
    defer { store.context = context }
    return store.subscribe(with: OperationEventHandler())
  }

  @Test("The operation runs when the specification becomes true, and only then")
  func edge() async {
    let store = store()
    let subscription = subscribe(to: store)
    specification.repeatValue()
    #expect(!store.isLoading)
    specification.set(true)
    await turnstile.arrives()
    turnstile.open()
    await store.reaches { $0.currentValue == 1 }
    specification.repeatValue()
    #expect(!store.isLoading)
    #expect(turnstile.arrivals == 1)
    subscription.cancel()
  }

  @Test("A repeated true does not affect the rerun in progress")
  func repeatedTrue() async {
    let store = store()
    let subscription = subscribe(to: store)
    specification.set(true)
    await turnstile.arrives()
    specification.repeatValue()
    specification.repeatValue()
    #expect(turnstile.waitingCount == 1)
    turnstile.open()
    await store.reaches { $0.currentValue == 1 }
    #expect(store.error == nil)
    #expect(turnstile.arrivals == 1)
    subscription.cancel()
  }

  @Test("When the specification becomes false, the rerun is cancelled")
  func turnsFalse() async {
    let store = store()
    let subscription = subscribe(to: store)
    specification.set(true)
    await turnstile.arrives()
    specification.set(false)
    await store.reaches { !$0.isLoading }
    #expect(store.error is CancellationError)
    subscription.cancel()
  }

  @Test("When the last subscriber leaves, the rerun is cancelled")
  func lastLeaves() async {
    let ended = Log<Int>()
    let store = store(ended: ended)
    let (first, second) = (subscribe(to: store), subscribe(to: store))
    specification.set(true)
    await turnstile.arrives()
    first.cancel()
    #expect(turnstile.waitingCount == 1)
    second.cancel()
    #expect(turnstile.waitingCount == 0)
    while ended.count == 0 { await Task.yield() }
    #expect(store.status.isCancelled)
  }

  @Test("A shared rerun continues when the last subscriber leaves")
  func shared() async throws {
    let query = TestQuery<Int, any Error> { [turnstile] _, _ in
      try await turnstile.pass()
      return 1
    }
    let store = OperationStore.detached(
      query.deduplicated().rerunOnChange(of: specification).disableAutomaticRunning(false))
    let subscription = subscribe(to: store)
    specification.set(true)
    await turnstile.arrives()
    let task = Task { try await store.fetch() }
    while store.state.activeTasks.count < 2 { await Task.yield() }
    subscription.cancel()
    #expect(turnstile.waitingCount == 1)
    turnstile.open()
    #expect(try await task.value == 1)
    #expect(turnstile.arrivals == 1)
  }

  @Test("Nothing runs without a subscriber, if the store is not stale, or if automatic running is disabled")
  func conditions() {
    let unsubscribed = store()
    specification.set(true)
    #expect(!unsubscribed.isLoading)
    specification.set(false)
    for store in [store(enabled: false), store(stale: false)] {
      let subscription = subscribe(to: store)
      specification.set(true)
      #expect(!store.isLoading)
      specification.set(false)
      subscription.cancel()
    }
    #expect(turnstile.arrivals == 0)
  }

  @Test("The specification is observed as long as the store exists")
  func release() {
    do {
      let store = store()
      #expect(specification.subscriberCount == 1)
      withExtendedLifetime(store) {}
    }
    #expect(specification.subscriberCount == 0)
  }
}
