import Synchronization

/// Reruns an operation when a specification becomes true. See ``StatefulOperationRequest/rerunOnChange(of:)``.
struct RerunOnChangeController<State: OperationState>: OperationController {
  let specification: any OperationRunSpecification

  func control(with controls: OperationControls<State>) -> OperationSubscription {
    let reruns = Reruns(controls: controls)
    let follower = SpecificationFollower { [specification] in
      specification.isSatisfied(in: controls.context)
    } onTurn: { isSatisfied in
      reruns.turned(isSatisfied)
    }
    // In the reverse order, a change between reading and subscribing would be lost.
    let subscription = specification.subscribe(in: controls.context) { [weak follower] in follower?.look() }
    follower.look()
    return OperationSubscription {
      subscription.cancel()
      withExtendedLifetime(follower) { reruns.end() }
    }
  }

  /// The rerun caused by the last change of the specification.
  private final class Reruns: Sendable {
    private let controls: OperationControls<State>
    private let rerun = Mutex<OperationTask<State.OperationValue, State.Failure>?>(nil)

    init(controls: OperationControls<State>) { self.controls = controls }

    func turned(_ isSatisfied: Bool) {
      let next: OperationTask<State.OperationValue, State.Failure>? =
        isSatisfied && controls.subscriberCount > 0 && controls.isStale ? controls.rerunTaskForSubscribers() : nil
      let former = rerun.withLock { rerun in
        defer { rerun = next }
        return rerun
      }
      if !isSatisfied { former?.cancel() }
      next?.start()
    }

    func end() {
      rerun.withLock { $0 }?.cancel()
    }
  }
}

extension StatefulOperationRequest {
  /// Reruns the operation each time `specification` becomes true, if the store has a subscriber, is stale, and allows
  /// automatic running.
  ///
  /// When it becomes false, or when the last subscriber leaves, the rerun that it caused is cancelled. A change
  /// notification without a change of the value does nothing.
  public func rerunOnChange(
    of specification: some OperationRunSpecification
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    controlled(by: RerunOnChangeController<State>(specification: specification))
  }
}
