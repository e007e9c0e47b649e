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
/// called under a lock of the store, apart from the `==` of the ids of pages; see ``OperationEventHandler`` for the order
/// of callbacks. Controllers, handlers and values are released with the store. A run that goes on keeps its store; one
/// that has ended does not.
@dynamicMemberLookup
public final class OperationStore<State: OperationState>: @unchecked Sendable {
  // Unchecked because the variables are guarded by the lock, which hands nothing out (see ``StoreLock``). Those whose
  // size does not depend on `State` come first, so that their places are known. For exclusive access by those that each
  // run touches, the lock is enough as well.

  /// What the operation is called among others.
  public let path: OperationPath
  /// What the store runs.
  @usableFromInline let operation: any StatefulOperationRequest<State>
  @usableFromInline let lock = StoreLock()
  @exclusivity(unchecked) @usableFromInline var guardedContext: OperationContext
  var handlers = Handlers()
  /// How many of the handlers count as subscribers.
  var guardedSubscriberCount = 0
  /// What has happened and was not told yet, in order. Empty while ``isDelivering`` is false, except within an exclusive
  /// section.
  var events: [OperationStoreEvent<State>] = []
  /// Whether there are handlers. Beside them, because asking them takes longer than all else when there are none.
  @exclusivity(unchecked) @usableFromInline var hasHandlers = false
  /// Whether there are events, for the same reason.
  @exclusivity(unchecked) @usableFromInline var hasEvents = false
  /// Whether a thread is telling events; it goes on until there are none left.
  @exclusivity(unchecked) @usableFromInline var isDelivering = false
  var hasControllers = false
  /// The runs that others may join, oldest first.
  @exclusivity(unchecked) @usableFromInline var leaders = OperationTaskNodeList()
  /// The runs that there are only because of subscribers, and which go with the last of them: that of the first one, and
  /// those of ``StatefulOperationRequest/rerunOnChange(of:)``.
  @exclusivity(unchecked) @usableFromInline var subscribersRuns = OperationTaskNodeList()
  var controllers: [OperationSubscription] = []
  @exclusivity(unchecked) @usableFromInline var guardedState: State

  /// A store for `operation`, whose controllers do not work yet. The request's `setup` is called here, once.
  init<Operation: StatefulOperationRequest>(
    _ operation: Operation, state: State, context: OperationContext
  ) where Operation.State == State {
    path = operation.path
    self.operation = operation
    var context = context
    operation.setup(context: &context)
    guardedContext = context
    guardedState = state
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
    get { look { guardedContext } }
    set {
      let old = change {
        defer { guardedContext = newValue }
        return guardedContext
      }
      _ = old
    }
  }

  /// Everything that is known of the operation, as of now.
  public var state: State { look { guardedState } }

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
    setResult(using: context) { state, time in state.update(with: result, at: time) }
  }

  /// Changes the state by `update`, as ``setResult(to:using:)`` does.
  func setResult(using context: OperationContext?, _ update: (inout State, Timestamp) -> Void) {
    let context = context ?? self.context
    let time = context.operationClock.now()
    // What is replaced is released after the lock, because that may run user code.
    let old = change {
      let old = guardedState
      update(&guardedState, time)
      noteState(context)
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
    let (old, tasks) = change {
      let old = guardedState
      let tasks = guardedState.reset()
      // A run that starts now must not join one that is about to be cancelled.
      leaders = OperationTaskNodeList()
      noteState(context)
      return (old, tasks)
    }
    for task in tasks { task.cancel() }
    _ = old
  }

  /// How many subscriptions there are. Handlers of single runs and of the request itself do not count.
  public var subscriberCount: Int { look { guardedSubscriberCount } }

  /// Whether the value should be brought up to date: always, when the request says nothing of it.
  public var isStale: Bool {
    let (state, context) = look { (guardedState, guardedContext) }
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
    let isOutermost = lock.beginExclusive()
    defer {
      if isOutermost {
        lock.endExclusive()
        deliver()
      }
    }
    return try body(self)
  }

  /// `context`, or else the store's, with the input of the run before where the operation needs some and gets none.
  @inlinable
  func contextForRun(_ context: OperationContext?) -> OperationContext {
    look {
      let context = context ?? guardedContext
      return guardedState.contextForRerun(context) ?? context
    }
  }
}
