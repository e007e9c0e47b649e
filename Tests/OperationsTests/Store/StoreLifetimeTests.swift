import Operations
import OperationsTesting
import Testing

@Suite("Lifetime of a store", .timeLimit(.minutes(10)))
struct StoreLifetimeTests {
  /// An object that a store retains through a controller.
  private final class Token: Sendable {}

  private struct Holder<State: OperationState>: OperationController {
    let token: Token

    func control(with controls: OperationControls<State>) -> OperationSubscription {
      OperationSubscription { [token] in withExtendedLifetime(token) {} }
    }
  }

  /// Uses a store of `operation` and checks that it is released with its last owner.
  private func expectRelease<Operation: StatefulOperationRequest>(
    _ operation: Operation, state: Operation.State, client: OperationClient? = nil,
    use: (OperationStore<Operation.State>) async throws -> Void
  ) async throws {
    weak var token: Token?
    weak var weakStore: OperationStore<Operation.State>?
    do {
      let held = Token()
      token = held
      let controlled = operation.controlled(by: Holder(token: held))
      let store = client?.store(for: controlled, state: state) ?? .detached(controlled, state: state)
      weakStore = store
      let subscription = store.subscribe(with: OperationEventHandler())
      try await use(store)
      subscription.cancel()
      client?.clearStores()
    }
    // The Swift task of the last run may retain the store for a moment after it has reported its end.
    for _ in 0..<1_000 where weakStore != nil || token != nil { await Task.yield() }
    #expect(weakStore == nil)
    #expect(token == nil)
  }

  @Test("A store of a query is released with its last owner")
  func query() async throws {
    try await expectRelease(countingQuery(), state: QueryState()) { try await $0.fetch() }
  }

  @Test("A store of a mutation is released with its last owner, despite the history of its attempts")
  func mutation() async throws {
    let mutation = TestMutation<Int> { number, _ in
      guard number > 1 else { throw TestError(number: number) }
      return number
    }
    try await expectRelease(mutation, state: MutationState()) { store in
      _ = try? await store.mutate(with: 1)
      try await store.mutate(with: 2)
      #expect(store.history.count == 2)
    }
    let client = OperationClient(configuration: .testing)
    try await expectRelease(mutation, state: MutationState(), client: client) { try await $0.mutate(with: 2) }
  }

  @Test("A store with shared or cancelled attempts is released with its last owner")
  func members() async throws {
    let turnstile = Turnstile()
    let mutation = TestMutation<Int> { number, _ in
      try await turnstile.pass()
      return number
    }
    try await expectRelease(mutation.deduplicated(), state: MutationState()) { store in
      let (leader, follower) = (store.mutateTask(with: 1), store.mutateTask(with: 1))
      leader.start()
      await turnstile.arrives()
      follower.start()
      leader.cancel()
      _ = try? await leader.runIfNeeded()
      turnstile.open()
      let result = try await follower.runIfNeeded()
      #expect(result == 1)
      let cancelled = store.mutateTask(with: 2)
      cancelled.cancel()
      _ = try? await cancelled.runIfNeeded()
      #expect(store.history.count == 3)
    }
  }

  @Test("A paginated store is released with its last owner")
  func pages() async throws {
    let numbers = Numbers()
    try await expectRelease(numbers, state: PaginatedState(initialPageID: numbers.initialPageID)) { store in
      try await store.fetchNextPage()
      try await store.fetchNextPage()
      try await store.fetchPreviousPage()
      try await store.refetchAllPages()
      #expect(store.currentValue.count == 3)
    }
  }

  @Test("A run in progress retains its store, and a task that has ended does not")
  func task() async throws {
    let turnstile = Turnstile()
    let query = TestQuery<Int, any Error> { _, _ in
      try await turnstile.pass()
      return 1
    }
    weak var weakStore: OperationStore<QueryState<Int, any Error>>?
    let task: OperationTask<Int, any Error>
    do {
      let store = OperationStore.detached(query)
      weakStore = store
      task = store.fetchTask()
    }
    #expect(weakStore != nil)
    task.start()
    await turnstile.arrives()
    #expect(weakStore != nil)
    turnstile.open()
    #expect(try await task.runIfNeeded() == 1)
    for _ in 0..<1_000 where weakStore != nil { await Task.yield() }
    #expect(weakStore == nil)
    #expect(try task.finishedResult?.get() == 1)
  }

  @Test("A result yielded when the store no longer exists is dropped, with a warning")
  func lateYield() async throws {
    let warnings = Log<OperationWarning>()
    let kept = Box<OperationContinuation<Int, any Error>>()
    var context = OperationContext()
    context.operationWarningHandler = { warnings.append($0) }
    weak var weakStore: OperationStore<QueryState<Int, any Error>>?
    do {
      let store = OperationStore.detached(
        TestQuery<Int, any Error> { _, continuation in
          kept.value = continuation
          return 1
        }, context: context)
      weakStore = store
      try await store.fetch()
    }
    for _ in 0..<1_000 where weakStore != nil { await Task.yield() }
    #expect(weakStore == nil)
    kept.value?.yield(2)
    #expect(warnings.elements == [.yieldAfterEnd(["test"])])
  }

  @Test("The sequence of states ends with its store, after the last state", .timeLimit(.minutes(10)))
  func states() async {
    var values: [Int?] = []
    for await element in OperationStore.detached(countingQuery(), initialValue: 7).states {
      values.append(element.state.currentValue)
    }
    #expect(values == [7])
    let automatic = countingQuery().disableAutomaticRunning(false)
    for await element in OperationStore.detached(automatic).states { values.append(element.state.currentValue) }
    #expect(values == [7, nil, nil, 1])
  }
}
