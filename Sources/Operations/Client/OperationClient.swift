import Synchronization

/// The owner of stores: one store for each path.
///
/// ```swift
/// let client = OperationClient()
/// let store = client.store(for: Weather(city: "Kiel"))
/// for store in client.stores(matching: ["weather"]) { store.resetState() }
/// ```
///
/// A client keeps its stores until they are removed, or until memory becomes scarce and they have no subscribers (see
/// ``StatefulOperationRequest/evictWhen(pressure:)``). A removed store remains usable; the next request for its path
/// creates another. A client may be used from any thread, and calls no user code while holding a lock, except the `==`
/// and `hash(into:)` of path elements.
public final class OperationClient: Sendable {
  /// A store and the type of the request that it was created for.
  struct Entry: Sendable {
    let store: any AnyOperationStore
    let request: Any.Type
    /// Increases with each store added: stores are returned in the order of their creation.
    var order: UInt64 = 0
  }

  struct Handler: Sendable {
    let path: OperationPath
    let onChange: @Sendable (OperationClientChange<any AnyOperationStore>) -> Void
  }

  typealias Event = (change: OperationClientChange<any AnyOperationStore>, handlers: HandlerTable<Handler>.Snapshot)

  private struct Core: Sendable {
    var defaultContext: OperationContext
    var contexts: [OperationKind: OperationContext] = [:]
    var entries: [OperationPath: Entry] = [:]
    var lastOrder: UInt64 = 0
    var handlers = HandlerTable<Handler>()
    var events: [Event] = []
    var isDelivering = false

    mutating func insert(_ entry: Entry) -> Bool {
      let path = entry.store.path
      guard entries[path] == nil else { return false }
      lastOrder += 1
      var entry = entry
      entry.order = lastOrder
      entries[path] = entry
      return true
    }

    /// Removes a store, unless another one has taken its place.
    mutating func remove(_ store: any AnyOperationStore) -> Bool {
      guard let entry = entries[store.path], entry.store === store else { return false }
      entries.removeValue(forKey: store.path)
      return true
    }

    mutating func note(added: [any AnyOperationStore], removed: [any AnyOperationStore]) {
      guard !handlers.isEmpty, !added.isEmpty || !removed.isEmpty else { return }
      events.append((OperationClientChange(added: added, removed: removed), handlers.snapshot))
    }
  }

  private let creator: any OperationStoreCreator
  private let core: Mutex<Core>
  private let pressure = Mutex<OperationSubscription?>(nil)

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - defaultContext: The initial context of every store; empty by default.
  ///   - creator: Adds defaults to the requests; a ``DefaultStoreCreator`` with its default configuration by default.
  ///   - memoryPressureSource: Reports when to remove stores that are not in use; nil, the default, never does.
  public init(
    defaultContext: OperationContext = OperationContext(),
    creator: some OperationStoreCreator = DefaultStoreCreator(),
    memoryPressureSource: (any MemoryPressureSource)? = nil
  ) {
    self.creator = creator
    core = Mutex(Core(defaultContext: defaultContext))
    prepareContexts(from: defaultContext)
    let subscription = memoryPressureSource?.subscribe { [weak self] in self?.evict(at: $0) }
    pressure.withLock { $0 = subscription }
  }

  /// Creates a client that adds the defaults of `configuration` to requests.
  public convenience init(
    defaultContext: OperationContext = OperationContext(),
    configuration: OperationClientConfiguration,
    memoryPressureSource: (any MemoryPressureSource)? = nil
  ) {
    self.init(
      defaultContext: defaultContext, creator: DefaultStoreCreator(configuration: configuration),
      memoryPressureSource: memoryPressureSource)
  }

  /// The initial context of every store. A change only affects stores created afterwards.
  ///
  /// Its values take precedence over the client's own defaults: with an `operationMaxRetries` of 0, requests are not
  /// retried, unless they have a retry of their own.
  public var defaultContext: OperationContext {
    get { core.withLock { $0.defaultContext } }
    set { prepareContexts(from: newValue) }
  }

  private func prepareContexts(from defaultContext: OperationContext) {
    var linked = defaultContext
    linked.operationClientReference = WeakOperationClient(self)
    let contexts = Dictionary(
      uniqueKeysWithValues: OperationKind.allCases.map { ($0, creator.context(for: $0, from: linked)) })
    let old = core.withLock { core in
      let old = (core.defaultContext, core.contexts)
      core.defaultContext = defaultContext
      core.contexts = contexts
      return old
    }
    _ = old
  }

  // MARK: - Stores

  /// Returns the store of the operation's path, creating it if there is none.
  ///
  /// If the path already belongs to a store of another request type, ``OperationWarning/pathConflict(_:stored:requested:)`` is reported,
  /// and the returned store is not the client's: it is not shared.
  ///
  /// - Parameters:
  ///   - operation: The operation that the store runs. Its `setup` is called when a store is created.
  ///   - state: The initial state; not evaluated if the store exists.
  /// - Returns: The client's store, or one that is not shared.
  public func store<Operation: StatefulOperationRequest>(
    for operation: Operation, state: @autoclosure () -> Operation.State
  ) -> OperationStore<Operation.State> {
    let path = operation.path
    if let entry = entry(at: path) {
      if let store: OperationStore<Operation.State> = known(entry, for: operation) { return store }
    } else {
      let store = makeStore(for: operation, state: state())
      if !change(adding: [Entry(store: store, request: Operation.self)]).isEmpty { return store }
      // Another thread was faster.
      if let entry = entry(at: path), let store: OperationStore<Operation.State> = known(entry, for: operation) {
        return store
      }
    }
    let store = makeStore(for: operation, state: state())
    store.attachControllers()
    return store
  }

  /// Returns the store at exactly `path`, or nil if there is none.
  public func store(with path: OperationPath) -> (any AnyOperationStore)? {
    entry(at: path)?.store
  }

  /// Returns the stores whose paths begin with `path`, oldest first; for the empty path, all stores.
  public func stores(matching path: OperationPath) -> [any AnyOperationStore] {
    let entries = core.withLock { core in
      path.isEmpty ? Array(core.entries.values) : core.entries.values.filter { path.isPrefix(of: $0.store.path) }
    }
    return entries.sorted { $0.order < $1.order }.map(\.store)
  }

  /// Returns the stores whose paths begin with `path` and whose state is a `State`, oldest first.
  public func stores<State: OperationState>(
    matching path: OperationPath, of _: State.Type
  ) -> [OperationStore<State>] {
    stores(matching: path).compactMap { $0 as? OperationStore<State> }
  }

  /// Edits the stores whose paths begin with `path`, applying all changes at once when `body` returns. If it throws,
  /// nothing changes.
  ///
  /// `body` works on a snapshot of the stores. Concurrent changes are kept: a path that was given a store keeps it, and
  /// a store that was replaced is not removed.
  @discardableResult
  public func withStores<Value, Failure: Error>(
    matching path: OperationPath, perform body: (inout OperationStoreEdit) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var edit = OperationStoreEdit(client: self, path: path, stores: stores(matching: path))
    let value = try body(&edit)
    let added = change(adding: edit.created, removing: edit.removed)
    for store in edit.made { store.attachControllers() }
    for entry in edit.created where !added.contains(where: { $0 === entry.store }) {
      defaultContext.warn(.lateInsertion(entry.store.path))
    }
    return value
  }

  /// Removes the stores whose paths begin with `path`; by default, all stores.
  public func clearStores(matching path: OperationPath = OperationPath()) {
    change(removing: stores(matching: path))
  }

  /// Removes the store at exactly `path`, if there is one.
  public func clearStore(with path: OperationPath) {
    guard let store = store(with: path) else { return }
    change(removing: [store])
  }

  /// Calls `onChange` when stores whose paths begin with `path` are added or removed, until the subscription ends.
  ///
  /// It is not called for existing stores. Handlers are called in the order of subscription and without a lock held, so
  /// `onChange` may use the client in any way; the changes it makes are reported afterwards.
  public func subscribe(
    matching path: OperationPath,
    onChange: @escaping @Sendable (OperationClientChange<any AnyOperationStore>) -> Void
  ) -> OperationSubscription {
    let id = core.withLock { $0.handlers.insert(Handler(path: path, onChange: onChange)) }
    return OperationSubscription { [weak self] in
      let released = self?.core.withLock { $0.handlers.remove(id) }
      _ = released
    }
  }

  /// Calls `onChange` when stores whose paths begin with `path` and whose state is a `State` are added or removed. See
  /// ``subscribe(matching:onChange:)``.
  public func subscribe<State: OperationState>(
    matching path: OperationPath, of _: State.Type,
    onChange: @escaping @Sendable (OperationClientChange<OperationStore<State>>) -> Void
  ) -> OperationSubscription {
    subscribe(matching: path) { change in
      let added = change.added.compactMap { $0 as? OperationStore<State> }
      let removed = change.removed.compactMap { $0 as? OperationStore<State> }
      if !added.isEmpty || !removed.isEmpty { onChange(OperationClientChange(added: added, removed: removed)) }
    }
  }

  // MARK: - Implementation

  /// Creates a store that is not yet one of the client's, and whose controllers are not yet attached.
  func makeStore<Operation: StatefulOperationRequest>(
    for operation: Operation, state: Operation.State
  ) -> OperationStore<Operation.State> {
    let kind = OperationKind(of: Operation.State.self)
    let context = core.withLock { $0.contexts[kind] ?? $0.defaultContext }
    func make(_ modified: some StatefulOperationRequest<Operation.State>) -> OperationStore<Operation.State> {
      OperationStore(modified, state: state, context: context)
    }
    return make(creator.modify(operation, of: kind))
  }

  private func entry(at path: OperationPath) -> Entry? {
    core.withLock { $0.entries[path] }
  }

  /// Returns the store of `entry` if it was created for requests like `operation`; reports a warning if not.
  private func known<Operation: StatefulOperationRequest>(
    _ entry: Entry, for operation: Operation
  ) -> OperationStore<Operation.State>? {
    if entry.request == Operation.self, let store = entry.store as? OperationStore<Operation.State> { return store }
    defaultContext.warn(
      .pathConflict(operation.path, stored: "\(entry.request)", requested: "\(Operation.self)"))
    return nil
  }

  private func evict(at pressure: MemoryPressure) {
    let candidates = core.withLock { core in
      core.entries.values.filter { $0.store.subscriberCount == 0 }
    }
    let stores = candidates.map(\.store).filter {
      !$0.context.operationEvictableMemoryPressure.isDisjoint(with: pressure)
    }
    // A subscriber may have been added meanwhile; a store's lock may be acquired while holding the client's.
    change(removing: stores) { $0.subscriberCount == 0 }
  }

  /// Adds and removes stores at once, and notifies the subscribers.
  ///
  /// - Returns: The stores that could be added.
  @discardableResult
  private func change(
    adding entries: [Entry] = [], removing stores: [any AnyOperationStore] = [],
    if condition: (any AnyOperationStore) -> Bool = { _ in true }
  ) -> [any AnyOperationStore] {
    let (added, mustDeliver) = core.withLock { core in
      let removed = stores.filter { condition($0) && core.remove($0) }
      let added = entries.filter { core.insert($0) }.map(\.store)
      core.note(added: added, removed: removed)
      return (added, !core.events.isEmpty && !core.isDelivering)
    }
    for store in added { (store as? any ControllableStore)?.attachControllers() }
    if mustDeliver { deliver() }
    return added
  }

  private func deliver() {
    var isFirst = true
    while true {
      let events: [Event] = core.withLock { core in
        if isFirst, core.isDelivering { return [] }
        core.isDelivering = !core.events.isEmpty
        defer { core.events = [] }
        return core.events
      }
      guard !events.isEmpty else { return }
      isFirst = false
      for (change, handlers) in events {
        handlers.forEach { handler in
          let added = change.added.filter { handler.path.isPrefix(of: $0.path) }
          let removed = change.removed.filter { handler.path.isPrefix(of: $0.path) }
          guard !added.isEmpty || !removed.isEmpty else { return }
          handler.onChange(OperationClientChange(added: added, removed: removed))
        }
      }
    }
  }
}
