/// The target of controls whose store is elsewhere, such as in the host of a plugin.
///
/// All methods may be called on any thread, and are called without a lock held.
package protocol RemoteControlTarget<State>: Sendable {
  associatedtype State: OperationState

  /// Sets a value or an error.
  func setResult(to result: Result<State.StateValue, State.Failure>, using context: OperationContext?)
  /// Resets the store to its initial state.
  func resetState(using context: OperationContext?)
  /// Requests another run, whose result stays with the store.
  func rerun(using context: OperationContext?)
}

extension OperationControls {
  /// Creates controls of a store that is elsewhere.
  ///
  /// They always see `state` as it is now, and can always request a rerun: ``yieldRerun(with:)`` and
  /// ``yieldRerunTask(with:)`` request it immediately, and return nil because the result is not known here.
  package init(path: OperationPath, context: OperationContext, state: State, remote: some RemoteControlTarget<State>) {
    self.init(RemoteOperationStore(path: path, context: context, state: state, remote: remote))
  }
}

/// Presents a ``RemoteControlTarget`` as a store.
private struct RemoteOperationStore<State: OperationState>: OperationControlTarget {
  let path: OperationPath
  let context: OperationContext
  let state: State
  let remote: any RemoteControlTarget<State>

  var isStale: Bool { true }
  var subscriberCount: Int { 1 }
  var canYieldRerun: Bool { true }

  // The store's lock is elsewhere; requests to it are kept in order anyway.
  func withExclusiveAccess(_ body: () -> Void) { body() }

  func setResult(to result: Result<State.StateValue, State.Failure>, using context: OperationContext?) {
    remote.setResult(to: result, using: context)
  }

  func resetState(using context: OperationContext?) { remote.resetState(using: context) }

  func rerunTask(using context: OperationContext?) -> OperationTask<State.OperationValue, State.Failure>? {
    remote.rerun(using: context)
    return nil
  }

  func rerunTaskForSubscribers() -> OperationTask<State.OperationValue, State.Failure>? { rerunTask(using: nil) }

  func observe(with handler: OperationEventHandler<State>) -> OperationSubscription { .empty }
}
