import Operations
import Testing

@Suite("Deduplication")
struct DeduplicationTests {
  private let turnstile = Turnstile()
  private let count = Log<Int>()

  private var query: TestQuery<Int, any Error> {
    TestQuery { [turnstile, count] _, _ in
      let number = count.append(0)
      try await turnstile.pass()
      return number
    }
  }

  private typealias Store = OperationStore<QueryState<Int, any Error>>

  /// Starts a run and returns once it is in the store's state.
  private func start(_ store: Store, expecting runs: Int) async -> Task<Int, any Error> {
    let task = Task { try await store.fetch() }
    await store.reaches { $0.activeTasks.count == runs }
    return task
  }

  @Test("Overlapping runs share one execution, subsequent ones do not")
  func shared() async throws {
    let store = OperationStore.detached(query.deduplicated())
    let first = await start(store, expecting: 1)
    let second = await start(store, expecting: 2)
    await turnstile.arrives()
    turnstile.open()
    #expect(try await first.value == 1)
    #expect(try await second.value == 1)
    let third = await start(store, expecting: 1)
    await turnstile.arrives(2)
    turnstile.open()
    #expect(try await third.value == 2)
    #expect(count.count == 2)
  }

  @Test("A cancelled waiter leaves immediately, and the others get the result", arguments: [0, 1, 2])
  func cancelOne(_ index: Int) async throws {
    let store = OperationStore.detached(query.deduplicated())
    var tasks: [Task<Int, any Error>] = []
    for number in 1...3 { tasks.append(await start(store, expecting: number)) }
    await turnstile.arrives()
    tasks[index].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[index].value }
    #expect(turnstile.waitingCount == 1)
    #expect(store.isLoading)
    turnstile.open()
    for (other, task) in tasks.enumerated() where other != index {
      #expect(try await task.value == 1)
    }
    #expect(store.currentValue == 1)
    #expect(store.error == nil)
    #expect(count.count == 1)
  }

  @Test("The execution is cancelled when the last waiter has left")
  func cancelAll() async {
    let store = OperationStore.detached(query.deduplicated())
    var tasks: [Task<Int, any Error>] = []
    for number in 1...3 { tasks.append(await start(store, expecting: number)) }
    await turnstile.arrives()
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(turnstile.waitingCount == 0)
    #expect(store.status.isCancelled)
  }

  @Test("A run that starts while another is being cancelled executes itself")
  func afterCancel() async throws {
    let gate = Turnstile()
    let count = Log<Int>()
    let query = TestQuery<Int, any Error> { _, _ in
      let number = count.append(0)
      try? await gate.pass()
      if number == 1 { try? await Task { try await gate.pass() }.value }
      return number
    }
    let store = OperationStore.detached(query.deduplicated())
    let first = await start(store, expecting: 1)
    await gate.arrives()
    first.cancel()
    await gate.arrives(2)
    let second = await start(store, expecting: 2)
    await gate.arrives(3)
    #expect(count.count == 2)
    gate.open()
    #expect(try await second.value == 2)
    _ = await first.result
  }

  @Test("A run that starts after a reset executes itself, and its result is applied")
  func afterReset() async throws {
    let count = Log<Int>()
    let gate = Turnstile()
    let query = TestQuery<Int, any Error> { _, _ in
      let number = count.append(0)
      await Task { try? await gate.pass() }.value
      return number
    }
    let store = OperationStore.detached(query.deduplicated())
    let first = await start(store, expecting: 1)
    await gate.arrives()
    store.resetState()
    let second = await start(store, expecting: 1)
    await gate.arrives(2)
    gate.open()
    #expect(try await second.value == 2)
    _ = await first.result
    #expect(store.currentValue == 2)
    #expect(store.valueUpdateCount == 1)
  }

  @Test("A predicate decides which runs are duplicates")
  func predicate() async throws {
    let store = OperationStore.detached(query.deduplicated { $0.user == $1.user })
    var other = store.context
    other.user = 2
    let first = await start(store, expecting: 1)
    let second = Task { try await store.fetch(using: other) }
    await turnstile.arrives(2)
    let third = await start(store, expecting: 3)
    turnstile.open()
    #expect(try await first.value == 1)
    #expect(try await second.value == 2)
    #expect(try await third.value == 1)
  }

  @Test("If the failure cannot be a cancellation, a cancelled waiter waits for the result")
  func typedFailure() async throws {
    let turnstile = turnstile
    let query = TestQuery<Int, TestError> { _, _ throws(TestError) in
      do { try await turnstile.pass() } catch { throw TestError(number: 9) }
      return 1
    }
    let store = OperationStore.detached(query.deduplicated())
    let first = Task { try await store.fetch() }
    await turnstile.arrives()
    let second = Task { try await store.fetch() }
    await store.reaches { $0.activeTasks.count == 2 }
    first.cancel()
    turnstile.open()
    #expect(try await first.value == 1)
    #expect(try await second.value == 1)
  }
}

extension DeduplicationTests {
  @Test("A run is not in the state before it shares the execution")
  func visibleWhenJoined() async throws {
    let turnstile = turnstile
    let query = TestQuery<Int, TestError> { _, _ throws(TestError) in
      do { try await turnstile.pass() } catch { throw TestError(number: 9) }
      return 1
    }
    let store = OperationStore.detached(query.deduplicated())
    let first = store.runTask()
    // A caller that sees two runs may cancel one of them, as this handler does before anything else can happen.
    let subscription = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in
        if state.activeTasks.count == 2 { first.cancel() }
      }))
    first.start()
    await turnstile.arrives()
    let second = Task { try await store.fetch() }
    await store.reaches { $0.activeTasks.count == 2 }
    #expect(turnstile.waitingCount == 1)
    turnstile.open()
    #expect(try await first.runIfNeeded() == 1)
    #expect(try await second.value == 1)
    #expect(turnstile.arrivals == 1)
    subscription.cancel()
  }
}

extension OperationContext {
  private enum UserKey: Key { static let defaultValue = 1 }
  fileprivate var user: Int {
    get { self[UserKey.self] }
    set { self[UserKey.self] = newValue }
  }
}
