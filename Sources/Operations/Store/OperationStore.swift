/// Holds the state of one operation, runs it, and notifies subscribers of events.
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
/// called while a lock of the store is held, except the `==` of page ids; see ``OperationEventHandler`` for the order
/// of callbacks. Controllers, handlers and values are released with the store. A run retains its store until it ends.
@dynamicMemberLookup
public final class OperationStore<State: OperationState>: @unchecked Sendable {
  // Unchecked because the variables are guarded by the lock, which returns nothing (see ``StoreLock``). Those whose
  // size does not depend on `State` come first, so that their offsets are known. For those used by every run, the lock
  // also makes dynamic exclusivity checks unnecessary.

  /// The path of the operation.
  public let path: OperationPath
  /// The operation that the store runs.
  @usableFromInline let operation: any StatefulOperationRequest<State>
  @usableFromInline let lock = StoreLock()
  @exclusivity(unchecked) @usableFromInline var guardedContext: OperationContext
  var handlers = Handlers()
  /// The number of handlers that count as subscribers.
  var guardedSubscriberCount = 0
  /// The events that have not been delivered yet, in order. Empty while ``isDelivering`` is false, except within an
  /// exclusive section.
  var events: [OperationStoreEvent<State>] = []
  /// Whether there are handlers. Stored separately, because checking `handlers` takes longer than everything else if there are none.
  @exclusivity(unchecked) @usableFromInline var hasHandlers = false
  /// Whether there are events. Stored separately for the same reason.
  @exclusivity(unchecked) @usableFromInline var hasEvents = false
  /// Whether a thread is delivering events; it continues until there are none left.
  @exclusivity(unchecked) @usableFromInline var isDelivering = false
  var hasControllers = false
  /// The runs that others may join, oldest first.
  @exclusivity(unchecked) @usableFromInline var leaders = OperationTaskNodeList()
  /// The runs that exist only because of subscribers, and end with the last of them: that of the first subscriber, and
  /// those of ``StatefulOperationRequest/rerunOnChange(of:)``.
  @exclusivity(unchecked) @usableFromInline var subscribersRuns = OperationTaskNodeList()
  var controllers: [OperationSubscription] = []
  @exclusivity(unchecked) @usableFromInline var guardedState: State

  /// Creates a store for `operation`, without starting its controllers. Calls the request's `setup` once.
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

  /// Returns a store without a client and its defaults.
  ///
  /// Only the request's own modifiers apply: without any, it does not run automatically, is always stale and is not
  /// retried.
  ///
  /// - Parameters:
  ///   - operation: The operation to run. Its `setup` is called here, once.
  ///   - state: The initial state.
  ///   - context: The context of the operation's runs; empty by default.
  /// - Returns: The store.
  public static func detached<Operation: StatefulOperationRequest>(
    _ operation: Operation, state: State, context: OperationContext = OperationContext()
  ) -> OperationStore<State> where Operation.State == State {
    let store = OperationStore(operation, state: state, context: context)
    store.attachControllers()
    return store
  }

  /// The context of the operation's runs, which also decides about staleness and automatic runs. Changes apply from the
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

  /// The current state of the operation.
  public var state: State { look { guardedState } }

  /// A member of the state.
  public subscript<Value>(dynamicMember member: KeyPath<State, Value>) -> Value { state[keyPath: member] }

  /// The current value. Setting it notifies the subscribers.
  public var currentValue: State.StateValue {
    get { state.currentValue }
    set { setResult(to: .success(newValue)) }
  }

  /// Sets a value or an error as if the operation had produced it. Active runs are not affected.
  ///
  /// - Parameters:
  ///   - result: The value or the error.
  ///   - context: The context passed to handlers; the store's ``context`` by default.
  public func setResult(to result: Result<State.StateValue, State.Failure>, using context: OperationContext? = nil) {
    setResult(using: context) { state, time in state.update(with: result, at: time) }
  }

  /// Changes the state with `update`, like ``setResult(to:using:)``.
  func setResult(using context: OperationContext?, _ update: (inout State, Timestamp) -> Void) {
    let context = context ?? self.context
    let time = context.operationClock.now()
    // The old state is released after the lock, because that may run user code.
    let old = change {
      let old = guardedState
      update(&guardedState, time)
      noteState(context)
      return old
    }
    _ = old
  }

  /// Resets to the initial state and cancels all runs.
  ///
  /// Results of runs that started earlier are no longer applied to the state, even if such a run ignores its
  /// cancellation. Callers waiting for such a run get its outcome.
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

  /// The number of subscriptions. Handlers of single runs and of the request itself do not count.
  public var subscriberCount: Int { look { guardedSubscriberCount } }

  /// Whether the value should be refreshed. Always true if the request does not specify it.
  public var isStale: Bool {
    let (state, context) = look { (guardedState, guardedContext) }
    return context.operationStaleness.isStale(state, in: context)
  }

  /// Whether the operation may run automatically: when it is subscribed to, or by its controllers.
  public var isAutomaticRunningEnabled: Bool {
    let context = context
    return context.operationAutomaticRunningSpecification.isSatisfied(in: context)
  }

  /// Calls `body` while no other thread can change the store or be in an exclusive section of it.
  ///
  /// `body` may use the store and enter another exclusive section. Handlers are notified of the changes when the
  /// outermost section ends. Other threads that change the store, including runs, wait meanwhile, so keep it short; do
  /// not enter the sections of two stores in different orders. Reading remains possible.
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

  /// Returns `context`, or by default the store's, with the input of the previous run if the operation needs input and has none.
  @inlinable
  func contextForRun(_ context: OperationContext?) -> OperationContext {
    look {
      let context = context ?? guardedContext
      return guardedState.contextForRerun(context) ?? context
    }
  }
}
