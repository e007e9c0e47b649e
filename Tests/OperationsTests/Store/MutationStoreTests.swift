import Operations
import Testing

@Suite("Mutation store")
struct MutationStoreTests {
  private typealias Store = OperationStore<MutationState<Int, Int, any Error>>

  private func store(
    maxHistory: Int? = nil, _ body: @escaping @Sendable (Int) async throws -> Int
  ) -> Store {
    .detached(TestMutation<Int> { number, _ in try await body(number) }.maxHistory(length: maxHistory))
  }

  @Test("Every attempt is kept with its arguments and its result")
  func history() async throws {
    let store = store { number in
      guard number > 1 else { throw TestError(number: number) }
      return number * 10
    }
    await #expect(throws: TestError(number: 1)) { try await store.mutate(with: 1) }
    #expect(try await store.mutate(with: 2) == 20)
    #expect(store.history.map(\.arguments) == [1, 2])
    #expect(store.history[0].status.resultError as? TestError == TestError(number: 1))
    #expect(store.history[1].status.resultValue == 20)
    #expect(store.history[1].lastUpdatedAt != nil)
    #expect(store.currentValue == 20)
    #expect(store.error == nil)
    #expect(store.errorUpdateCount == 1)
  }

  @Test("The state shows the attempt that started last; an older one that ends later changes only its own entry")
  func newestStarted() async throws {
    let turnstiles = [Turnstile(), Turnstile()]
    let store = store { number in
      try await turnstiles[number].pass()
      return number
    }
    let older = Task { try await store.mutate(with: 0) }
    await turnstiles[0].arrives()
    let newer = Task { try await store.mutate(with: 1) }
    await turnstiles[1].arrives()
    turnstiles[1].open()
    _ = try await newer.value
    #expect(!store.isLoading)
    #expect(store.history[0].status.isLoading)
    turnstiles[0].open()
    _ = try await older.value
    #expect(store.currentValue == 1)
    #expect(store.valueUpdateCount == 1)
    #expect(store.history[0].status.resultValue == 0)
  }

  @Test("The last update is shown, whether set by hand or by an attempt, regardless of the clock")
  func manual() async throws {
    let store = Store.detached(TestMutation<Int> { number, _ in number }, context: .faking(FakeTime()))
    try await store.mutate(with: 1)
    store.currentValue = 5
    #expect(store.status.resultValue == 5)
    try await store.mutate(with: 2)
    #expect(store.status.resultValue == 2)
  }

  @Test("A retry uses the arguments of the newest attempt, and so does a run without arguments")
  func retryLatest() async throws {
    let seen = Log<Int>()
    let store = store { seen.append($0) }
    try await store.mutate(with: 7)
    try await store.retryLatest()
    try await store.run()
    let task = try store.retryLatestTask()
    try await task.runIfNeeded()
    #expect(seen.elements == [7, 7, 7, 7])
    #expect(store.history.count == 4)
  }

  @Test("A retry without a history throws a specific error")
  func nothingToRetry() async {
    let store = store { $0 }
    await #expect(throws: NoMutationHistoryError(path: ["mutation"])) { try await store.retryLatest() }
    #expect(throws: NoMutationHistoryError.self) { try store.retryLatestTask() }
    await #expect(throws: NoMutationHistoryError.self) { try await store.run() }
    #expect(store.history.isEmpty)
  }

  @Test("A limited history drops the oldest attempts, whose late results are ignored")
  func bounded() async throws {
    let turnstile = Turnstile()
    let store = store(maxHistory: 2) { number in
      if number == 1 { try await turnstile.pass() }
      return number
    }
    let oldest = Task { try await store.mutate(with: 1) }
    await turnstile.arrives()
    try await store.mutate(with: 2)
    try await store.mutate(with: 3)
    #expect(store.history.map(\.arguments) == [2, 3])
    turnstile.open()
    #expect(try await oldest.value == 1)
    #expect(store.currentValue == 3)
    #expect(store.history.map(\.arguments) == [2, 3])
  }

  @Test("The initial value is shown until the first update and after a reset")
  func initialValue() async throws {
    let store = Store.detached(TestMutation<Int> { number, _ in number }, initialValue: 9)
    #expect(store.currentValue == 9)
    try await store.mutate(with: 1)
    #expect(store.currentValue == 1)
    store.resetState()
    #expect(store.currentValue == 9)
    #expect(store.history.isEmpty)
  }

  @Test("A mutation without arguments can run without them")
  func void() async throws {
    let store = OperationStore.detached(TestMutation<Void> { _, _ in 3 })
    #expect(try await store.mutate() == 3)
    #expect(try await store.run() == 3)
    #expect(store.history.count == 2)
  }

  @Test("Missing arguments of an optional type are not treated as nil, and nil arguments are kept")
  func optionalArguments() async throws {
    let seen = Log<Int?>()
    let store = OperationStore.detached(TestMutation<Int?> { number, _ in seen.append(number) })
    await #expect(throws: NoMutationHistoryError.self) { try await store.retryLatest() }
    await #expect(throws: NoMutationHistoryError.self) { try await store.run() }
    try await store.mutate(with: 7)
    try await store.retryLatest()
    try await store.mutate(with: nil)
    try await store.retryLatest()
    #expect(seen.elements == [7, 7, nil, nil])
  }

  @Test("What a limited history drops is released without a lock held", arguments: [false, true])
  func release(hasDefault: Bool) async throws {
    /// Ends a subscription of the store and reads the store when it is released.
    final class Argument: Sendable {
      let onEnd: @Sendable () -> Void
      init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
      deinit { onEnd() }
    }
    let ends = Log<Int>()
    let mutation = TestMutation<Argument> { _, _ in 0 }.maxHistory(length: 1)
    func exercise<State: MutationOperationState>(
      _ store: OperationStore<State>
    ) async throws where State.Arguments == Argument {
      for _ in 0..<3 {
        let subscription = store.subscribe(with: OperationEventHandler())
        let argument = Argument {
          subscription.cancel()
          ends.append(store.subscriberCount)
        }
        try await store.mutate(with: argument)
      }
    }
    if hasDefault {
      try await exercise(OperationStore.detached(mutation.defaultValue(1), base: MutationState()))
    } else {
      try await exercise(OperationStore.detached(mutation))
    }
    #expect(ends.elements.count >= 2)
  }
}
