import Synchronization

/// Runs an operation again when a specification turns true. See ``StatefulOperationRequest/rerunOnChange(of:)``.
struct RerunOnChangeController<State: OperationState>: OperationController {
  let specification: any OperationRunSpecification

  func control(with controls: OperationControls<State>) -> OperationSubscription {
    let follower = Follower(specification: specification, controls: controls)
    // A change between looking and subscribing would be lost the other way round.
    let subscription = specification.subscribe(in: controls.context) { [weak follower] in follower?.look() }
    follower.look()
    return OperationSubscription {
      subscription.cancel()
      follower.end()
    }
  }

  /// Knows the last value, and the rerun that it caused.
  private final class Follower: Sendable {
    private struct Seen {
      /// nil until the first look, which only takes note.
      var isSatisfied: Bool?
      var rerun: OperationTask<State.OperationValue, State.Failure>?
      /// One thread looks at a time; a change meanwhile makes it look again, so that the last look wins.
      var isLooking = false
      var mustLookAgain = false
    }

    private let specification: any OperationRunSpecification
    private let controls: OperationControls<State>
    private let seen = Mutex(Seen())

    init(specification: any OperationRunSpecification, controls: OperationControls<State>) {
      self.specification = specification
      self.controls = controls
    }

    func look() {
      let begins = seen.withLock { seen in
        seen.mustLookAgain = true
        defer { seen.isLooking = true }
        return !seen.isLooking
      }
      guard begins else { return }
      while mustGoOn() { act(specification.isSatisfied(in: controls.context)) }
    }

    func end() {
      seen.withLock { $0.rerun }?.cancel()
    }

    private func mustGoOn() -> Bool {
      seen.withLock { seen in
        seen.isLooking = seen.mustLookAgain
        seen.mustLookAgain = false
        return seen.isLooking
      }
    }

    private func act(_ isSatisfied: Bool) {
      let before = seen.withLock { seen in
        defer { seen.isSatisfied = isSatisfied }
        return seen.isSatisfied
      }
      guard let before, before != isSatisfied else { return }
      let rerun: OperationTask<State.OperationValue, State.Failure>? =
        isSatisfied && controls.subscriberCount > 0 && controls.isStale ? controls.rerunTaskForSubscribers() : nil
      let old = seen.withLock { seen in
        defer { seen.rerun = rerun }
        return seen.rerun
      }
      if !isSatisfied { old?.cancel() }
      rerun?.start()
    }
  }
}

extension StatefulOperationRequest {
  /// Runs the operation again each time `specification` turns true, if somebody subscribes to the store, the store is
  /// stale and automatic running is enabled.
  ///
  /// When it turns false, or when the last subscriber leaves, the rerun that it caused is cancelled. A change notification that brings the same value again
  /// does nothing.
  public func rerunOnChange(
    of specification: some OperationRunSpecification
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    controlled(by: RerunOnChangeController<State>(specification: specification))
  }
}
