extension OperationStore {
  /// Whether the operation can be run automatically now.
  var canRerun: Bool { isAutomaticRunningEnabled && state.contextForRerun(context) != nil }

  /// Starts the controllers of the context. Called once by the creator of the store; later calls do nothing.
  func attachControllers() {
    let context = context
    let controllers = context.operationControllers
    let isFirst = change {
      defer { hasControllers = true }
      return !hasControllers
    }
    guard isFirst else { return }
    for expected in context.operationStaleness.mismatches(with: state) { warn(expecting: expected, in: context) }
    guard !controllers.isEmpty else { return }
    let subscriptions = controllers.map { attach($0, in: context) }
    change { self.controllers = subscriptions }
  }

  private func attach<Controller: OperationController>(
    _ controller: Controller, in context: OperationContext
  ) -> OperationSubscription {
    if let store = self as? OperationStore<Controller.State> {
      return controller.control(with: store.controls)
    }
    if let wrapping = self as? any DefaultedStore, let controls = wrapping.baseControls(for: Controller.State.self) {
      return controller.control(with: controls)
    }
    warn(expecting: Controller.State.self, in: context)
    return .empty
  }

  private func warn(expecting expected: any OperationState.Type, in context: OperationContext) {
    context.warn(.stateMismatch(path, expected: "\(expected)", found: "\(State.self)"))
  }

  private var controls: OperationControls<State> {
    let lens = OperationStateLens<State, State>(
      get: { $0 }, update: { state, result, time in state.update(with: result, at: time) })
    return OperationControls(WeakOperationStore(self, lens: lens))
  }
}

/// A store whose state wraps another one that controllers may be written for.
private protocol DefaultedStore {
  func baseControls<View: OperationState>(for _: View.Type) -> OperationControls<View>?
}

extension OperationStore: DefaultedStore where State: DefaultedState {
  fileprivate func baseControls<View: OperationState>(for _: View.Type) -> OperationControls<View>? {
    let lens = OperationStateLens<State, State.Base>(
      get: { $0.base }, update: { state, result, time in state.base.update(with: result, at: time) })
    return OperationControls<State.Base>(WeakOperationStore(self, lens: lens)) as? OperationControls<View>
  }
}
