import Synchronization

/// Holds the state of one operation, runs it, and tells subscribers what happens.
///
/// ```swift
/// let store = client.store(for: Weather(city: "Kiel"))
/// let subscription = store.subscribe(with: OperationEventHandler(onStateChanged: { state, _ in show(state) }))
/// try await store.fetch()
/// ```
///
/// The members of the state are members of the store: `store.isLoading`, `store.error`.
///
/// A store may be used from any thread. User code (handlers, specifications, predicates, the operation itself) is never
/// called under a lock of the store; see ``OperationEventHandler`` for the order of callbacks. Controllers, handlers and
/// values are released with the store. A run that goes on keeps its store.
@dynamicMemberLookup
public final class OperationStore<State: OperationState>: Sendable {
  typealias Core = OperationStoreCore<State>

  /// What the operation is called among others.
  public let path: OperationPath
  /// What the store runs.
  let operation: any StatefulOperationRequest<State>
  private let gate = ExclusiveGate()
  private let core: Mutex<Core>

  /// A store for `operation`, whose controllers do not work yet. The request's `setup` is called here, once.
  init<Operation: StatefulOperationRequest>(
    _ operation: Operation, state: State, context: OperationContext
  ) where Operation.State == State {
    path = operation.path
    self.operation = operation
    var context = context
    operation.setup(context: &context)
    core = Mutex(Core(state: state, context: context))
  }

  /// A store that no client knows and to whose operation nothing is added.
  ///
  /// Only what the request itself says applies: without modifiers, it does not run automatically, is always stale and
  /// is not tried again.
  ///
  /// - Parameters:
  ///   - operation: What to run. Its `setup` is called here, once.
  ///   - state: The state before anything happens.
  ///   - context: What the operation finds in its runs; empty by default.
  /// - Returns: The store.
  public static func detached<Operation: StatefulOperationRequest>(
    _ operation: Operation, state: State, context: OperationContext = OperationContext()
  ) -> OperationStore<State> where Operation.State == State {
    let store = OperationStore(operation, state: state, context: context)
    store.attachControllers()
    return store
  }

  /// What the operation finds in its runs, and what decides about staleness and automatic runs. Changes count from the
  /// next run on.
  public var context: OperationContext {
    get { core.withLock { $0.context } }
    set {
      let old = change { core in
        defer { core.context = newValue }
        return core.context
      }
      _ = old
    }
  }

  /// Everything that is known of the operation, as of now.
  public var state: State { core.withLock { $0.state } }

  /// A member of the state.
  public subscript<Value>(dynamicMember member: KeyPath<State, Value>) -> Value { state[keyPath: member] }

  /// The value now. Setting it tells the subscribers.
  public var currentValue: State.StateValue {
    get { state.currentValue }
    set { setResult(to: .success(newValue)) }
  }

  /// Sets a value or an error as if the operation had brought it. Runs that go on are not touched.
  ///
  /// - Parameters:
  ///   - result: The value or the error.
  ///   - context: What handlers are told; the store's ``context`` by default.
  public func setResult(to result: Result<State.StateValue, State.Failure>, using context: OperationContext? = nil) {
    let context = context ?? self.context
    let time = context.operationClock.now()
    let old = change { core in
      let old = core.state
      core.state.update(with: result, at: time)
      core.noteState(context)
      return old
    }
    _ = old
  }

  /// Goes back to the initial state and cancels all runs.
  ///
  /// No result of a run that started before gets into the state any more, even when the run ignores its cancellation.
  /// Whoever waits for such a run gets what it ends with.
  public func resetState(using context: OperationContext? = nil) {
    let context = context ?? self.context
    let (old, tasks) = change { core in
      let old = core.state
      let tasks = core.state.reset()
      // A run that starts now must not join one that is about to be cancelled.
      core.leaders = []
      core.noteState(context)
      return (old, tasks)
    }
    for task in tasks { task.cancel() }
    _ = old
  }

  /// How many subscriptions there are. Handlers of single runs and of the request itself do not count.
  public var subscriberCount: Int { core.withLock { $0.subscriberCount } }

  /// Whether the value should be brought up to date: always, when the request says nothing of it.
  public var isStale: Bool {
    let (state, context) = core.withLock { ($0.state, $0.context) }
    return context.operationStaleness.isStale(state, in: context)
  }

  /// Whether the operation may run without being asked to: when it is subscribed to, and by its controllers.
  public var isAutomaticRunningEnabled: Bool {
    let context = context
    return context.operationAutomaticRunningSpecification.isSatisfied(in: context)
  }

  /// Calls `body` while no other thread can change the store, nor be in an exclusive section of it.
  ///
  /// `body` may use the store, and enter another exclusive section. Handlers hear of the changes when it is over. Other
  /// threads that change the store, runs included, wait meanwhile, so keep it short; do not enter the sections of two
  /// stores in different orders. Reading is possible all the time.
  public func withExclusiveAccess<Value, Failure: Error>(
    _ body: (OperationStore<State>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = gate.withAccess { () -> Result<Value, Failure> in
      do throws(Failure) {
        return .success(try body(self))
      } catch {
        return .failure(error)
      }
    }
    deliver()
    return try result.get()
  }

  /// `context`, or else the store's, with the input of the run before where the operation needs some and gets none.
  func contextForRun(_ context: OperationContext?) -> OperationContext {
    core.withLock { core in
      let context = context ?? core.context
      return core.state.contextForRerun(context) ?? context
    }
  }

  /// Changes what is behind the lock, and then tells what has happened.
  func change<Value: Sendable>(_ body: (inout Core) -> Value) -> Value {
    let (value, mustDeliver) = gate.withAccess {
      core.withLock { core in
        let value = body(&core)
        return (value, !core.events.isEmpty && !core.isDelivering)
      }
    }
    if mustDeliver { deliver() }
    return value
  }

  /// Tells events until there are none left, unless a thread is at it already or this one is in an exclusive section.
  private func deliver() {
    guard !gate.isHeldHere else { return }
    var isFirst = true
    while true {
      let events: [OperationStoreEvent<State>] = core.withLock { core in
        if isFirst, core.isDelivering { return [] }
        core.isDelivering = !core.events.isEmpty
        defer { core.events = [] }
        return core.events
      }
      guard !events.isEmpty else { return }
      isFirst = false
      for event in events {
        if case .removal(let id) = event {
          _ = core.withLock { $0.handlers.remove(id) }
        } else {
          event.deliver()
        }
      }
    }
  }
}
