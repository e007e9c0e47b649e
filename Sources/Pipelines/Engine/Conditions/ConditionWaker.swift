import Operations
import Synchronization

/// Brings a waiting retry forward when a condition turns true.
struct ConditionWaker: RetryWaker {
  let name: String
  let condition: AnyOperationRunSpecification
  let context: OperationContext

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    // Only a transition counts: what was true already when the attempt failed would wake every retry at once.
    let wasSatisfied = Mutex(condition.isSatisfied(in: context))
    return condition.subscribe(in: context) { [condition, context] in
      let isSatisfied = condition.isSatisfied(in: context)
      let turnsTrue = wasSatisfied.withLock { wasSatisfied in
        defer { wasSatisfied = isSatisfied }
        return isSatisfied && !wasSatisfied
      }
      if turnsTrue { onWake() }
    }
  }
}
