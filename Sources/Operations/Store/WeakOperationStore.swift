/// A weak reference to a store, for its controllers.
///
/// `View` is the state type that they know: that of the store, or one that it wraps.
final class WeakOperationStore<State: OperationState, View: OperationState>: OperationControlTarget
where View.OperationValue == State.OperationValue, View.Failure == State.Failure {
  private weak let store: OperationStore<State>?
  private let lens: OperationStateLens<State, View>
  let path: OperationPath
  private let initialState: View
  private let initialContext: OperationContext

  init(_ store: OperationStore<State>, lens: OperationStateLens<State, View>) {
    self.store = store
    self.lens = lens
    path = store.path
    initialState = lens.get(store.state)
    initialContext = store.context
  }

  var context: OperationContext { living()?.context ?? initialContext }
  var state: View { living().map { lens.get($0.state) } ?? initialState }
  var isStale: Bool { living()?.isStale ?? false }
  var subscriberCount: Int { living()?.subscriberCount ?? 0 }
  // No warning: this is how a controller detects that the store no longer exists.
  var canYieldRerun: Bool { store?.canRerun ?? false }

  func withExclusiveAccess(_ body: () -> Void) {
    if let store = living() {
      store.withExclusiveAccess { _ in body() }
    } else {
      body()
    }
  }

  func setResult(to result: Result<View.StateValue, View.Failure>, using context: OperationContext?) {
    living()?.setResult(using: context) { [lens] state, time in lens.update(&state, result, time) }
  }

  func resetState(using context: OperationContext?) {
    living()?.resetState(using: context)
  }

  func rerunTask(using context: OperationContext?) -> OperationTask<View.OperationValue, View.Failure>? {
    guard let store, store.isAutomaticRunningEnabled,
      let context = store.state.contextForRerun(context ?? store.context)
    else { return nil }
    return store.runTask(using: context)
  }

  func rerunTaskForSubscribers() -> OperationTask<View.OperationValue, View.Failure>? {
    guard let store, store.isAutomaticRunningEnabled, let context = store.state.contextForRerun(store.context) else {
      return nil
    }
    return store.runTaskForSubscribers(using: context)
  }

  func observe(with handler: OperationEventHandler<View>) -> OperationSubscription {
    guard let store = living() else { return .empty }
    return store.observe(
      with: OperationEventHandler<State>(
        onStateChanged: handler.onStateChanged.map { [lens] told in
          { @Sendable state, context in told(lens.get(state), context) }
        },
        onRunStarted: handler.onRunStarted, onRunEnded: handler.onRunEnded,
        onResultReceived: handler.onResultReceived))
  }

  private func living() -> OperationStore<State>? {
    if store == nil { initialContext.warn(.storeGone(path)) }
    return store
  }
}

/// Views a state as itself or as one that it wraps.
struct OperationStateLens<State: OperationState, View: OperationState>: Sendable {
  let get: @Sendable (State) -> View
  let update: @Sendable (inout State, Result<View.StateValue, View.Failure>, Timestamp) -> Void
}
