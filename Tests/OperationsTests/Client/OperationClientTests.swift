import Operations
import OperationsTesting
import Synchronization
import Testing

@Suite("Operation client")
struct OperationClientTests {
  private let client = OperationClient(configuration: .testing)

  @Test("A client has one store per path")
  func oneStore() {
    let store = client.store(for: countingQuery(path: ["a"]))
    #expect(client.store(for: countingQuery(path: ["a"])) === store)
    #expect(client.store(for: countingQuery(path: ["b"])) !== store)
    #expect(client.store(with: ["a"]) === store)
    #expect(client.store(with: ["c"]) == nil)
  }

  @Test("A different request type at the same path gets an unshared store and a warning")
  func conflict() async throws {
    let warnings = Log<OperationWarning>()
    client.defaultContext.operationWarningHandler = { warnings.append($0) }
    let store = client.store(for: countingQuery(path: ["a"]))
    let other = TestQuery<String, any Error>(path: ["a"]) { _, _ in "text" }
    let unshared = client.store(for: other)
    #expect(try await unshared.fetch() == "text")
    #expect(client.store(for: other) !== unshared)
    #expect(client.store(with: ["a"]) === store)
    #expect(warnings.count == 2)
    guard case .pathConflict(["a"], let stored, let requested) = warnings.elements[0] else {
      Issue.record("not a conflict: \(warnings.elements[0])")
      return
    }
    #expect(stored.contains("Int") && requested.contains("String"))
  }

  @Test("Stores are found by path prefix, in order of creation")
  func matching() {
    let paths: [OperationPath] = [["users", 2], ["users", 1], ["posts"], ["users"]]
    for path in paths { _ = client.store(for: countingQuery(path: path)) }
    #expect(client.stores(matching: ["users"]).map(\.path) == [["users", 2], ["users", 1], ["users"]])
    #expect(client.stores(matching: []).map(\.path) == paths)
    #expect(client.stores(matching: ["users", 3]).isEmpty)
    #expect(client.stores(matching: ["users"], of: QueryState<Int, any Error>.self).count == 3)
    #expect(client.stores(matching: ["users"], of: QueryState<String, any Error>.self).isEmpty)
  }

  @Test("Stores are removed by path or prefix, and a removed store remains usable")
  func clearing() async throws {
    let store = client.store(for: countingQuery(path: ["a", 1]))
    _ = client.store(for: countingQuery(path: ["a", 2]))
    _ = client.store(for: countingQuery(path: ["b"]))
    client.clearStore(with: ["a"])
    #expect(client.stores(matching: []).count == 3)
    client.clearStores(matching: ["a"])
    #expect(client.stores(matching: []).map(\.path) == [["b"]])
    #expect(try await store.fetch() == 1)
    #expect(client.store(for: countingQuery(path: ["a", 1])) !== store)
    client.clearStores()
    #expect(client.stores(matching: []).isEmpty)
  }

  @Test("Stores are edited together, and nothing changes if the edit fails")
  func bulkEdit() {
    let changes = Log<[[OperationPath]]>()
    for number in 1...3 { _ = client.store(for: countingQuery(path: ["a", number])) }
    let subscription = client.subscribe(matching: ["a"]) { change in
      changes.append([change.added.map(\.path), change.removed.map(\.path)])
    }
    #expect(throws: TestError.self) {
      try client.withStores(matching: ["a"]) { edit throws(TestError) in
        edit.removeAll()
        throw TestError()
      }
    }
    #expect(client.stores(matching: []).count == 3)
    client.withStores(matching: ["a"]) { edit in
      edit.remove(at: ["a", 2])
      #expect(edit.insert(countingQuery(path: ["b"]), state: QueryState()) == nil)
      #expect(edit.insert(countingQuery(path: ["a", 9]), state: QueryState(initialValue: 9)) != nil)
      #expect(edit.stores.map(\.path) == [["a", 1], ["a", 3], ["a", 9]])
      #expect(changes.count == 0)
    }
    #expect(client.stores(matching: []).map(\.path) == [["a", 1], ["a", 3], ["a", 9]])
    #expect(changes.elements == [[[["a", 9]], [["a", 2]]]])
    subscription.cancel()
  }

  @Test("A store that an edit inserts too late is controlled but not shared, and a warning is reported")
  func lateInsertion() {
    let warnings = Log<OperationWarning>()
    client.defaultContext.operationWarningHandler = { warnings.append($0) }
    let controller = Counting()
    let query = countingQuery(path: ["a"]).controlled(by: controller)
    let inserted = client.withStores(matching: []) { edit in
      let inserted = edit.insert(query, state: QueryState())
      _ = client.store(for: query)
      return inserted
    }
    #expect(inserted != nil)
    #expect(client.store(for: query) !== inserted)
    #expect(controller.count.count == 2)
    #expect(warnings.elements == [.lateInsertion(["a"])])
    client.clearStores()
    let removed = client.withStores(matching: []) { edit in
      let inserted = edit.insert(query, state: QueryState())
      edit.removeAll()
      return inserted
    }
    #expect(removed != nil)
    #expect(client.stores(matching: []).isEmpty)
    #expect(warnings.count == 1)
  }

  private struct Counting: OperationController {
    let count = Log<Int>()

    func control(with controls: OperationControls<QueryState<Int, any Error>>) -> OperationSubscription {
      count.append(0)
      return .empty
    }
  }

  @Test("Added and removed stores are reported by path prefix until the subscription ends")
  func subscription() {
    let log = Log<String>()
    let subscription = client.subscribe(matching: ["a"], of: QueryState<Int, any Error>.self) { change in
      for store in change.added { log.append("+\(store.path)") }
      for store in change.removed { log.append("-\(store.path)") }
    }
    _ = client.store(for: countingQuery(path: ["a", 1]))
    _ = client.store(for: countingQuery(path: ["a", 1]))
    _ = client.store(for: countingQuery(path: ["b"]))
    _ = client.store(for: TestMutation<Int>(path: ["a", 2]) { number, _ in number })
    client.clearStores()
    #expect(log.elements == ["+[a, 1]", "-[a, 1]"])
    subscription.cancel()
    _ = client.store(for: countingQuery(path: ["a", 1]))
    #expect(log.count == 2)
  }

  @Test("A handler may use the client and cancel its own subscription")
  func reentrantSubscription() {
    let log = Log<String>()
    let held = Mutex<OperationSubscription?>(nil)
    let subscription = client.subscribe(matching: []) { [client] change in
      log.append(change.added.map(\.path.description).joined())
      if log.count == 1 { _ = client.store(for: countingQuery(path: ["second"])) }
      if log.count == 2 { held.withLock { $0 }?.cancel() }
    }
    held.withLock { $0 = subscription }
    _ = client.store(for: countingQuery(path: ["first"]))
    _ = client.store(for: countingQuery(path: ["third"]))
    #expect(log.elements == ["[first]", "[second]"])
  }

  @Test("Memory pressure at one of a store's levels removes the store if it has no subscribers")
  func eviction() {
    let source = MockMemoryPressureSource()
    do {
      let client = OperationClient(configuration: .testing, memoryPressureSource: source)
      let watched = client.store(for: countingQuery(path: ["watched"]))
      let subscription = watched.subscribe(with: OperationEventHandler())
      _ = client.store(for: countingQuery(path: ["usual"]))
      _ = client.store(for: countingQuery(path: ["critical"]).evictWhen(pressure: .critical))
      _ = client.store(for: countingQuery(path: ["kept"]).evictWhen(pressure: []))
      source.send(.normal)
      #expect(client.stores(matching: []).count == 4)
      source.send(.warning)
      #expect(client.stores(matching: []).map(\.path) == [["watched"], ["critical"], ["kept"]])
      source.send(.critical)
      #expect(client.stores(matching: []).map(\.path) == [["watched"], ["kept"]])
      subscription.cancel()
      source.send(.critical)
      #expect(client.stores(matching: []).map(\.path) == [["kept"]])
    }
    #expect(source.subscriberCount == 0)
  }

  @Test("The context provides the client without retaining it")
  func clientInContext() {
    weak var gone: OperationClient?
    let store: OperationStore<QueryState<Int, any Error>>
    do {
      let client = OperationClient()
      gone = client
      store = client.store(for: countingQuery())
      #expect(store.context.operationClient === client)
    }
    #expect(gone == nil)
    #expect(store.context.operationClient == nil)
  }

  @Test("Concurrent requests for a path get the same store")
  func concurrent() async {
    let stores = await withTaskGroup(of: OperationStore<QueryState<Int, any Error>>.self) { [client] group in
      for _ in 1...50 { group.addTask { client.store(for: countingQuery(path: ["same"])) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(stores.allSatisfy { $0 === stores[0] })
  }
}
