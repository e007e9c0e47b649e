import Operations
import PipelineLanguage

/// Ends the wait for a retry early when a condition becomes true. The condition is created anew for each wait: what changed or succeeded before the
/// wait began is no reason to retry.
struct ConditionWaker: RetryWaker {
  let name: String
  let formula: SpecificationFormula
  let conditions: LoopBound<RunConditions>
  let context: OperationContext
  /// Called with the description of the condition after each of its changes during a wait. May be called from any thread.
  let onChange: @Sendable (SpecificationDescription) -> Void

  /// *On the event loop.*
  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    // Whether the paths can be computed was checked before the first attempt.
    guard let condition = try? conditions.value.make(formula, since: .now) else { return OperationSubscription {} }
    return .combined([
      SpecificationWaker(condition, in: context, name: name).subscribe(onWake),
      condition.subscribe(in: context) { [context, onChange] in onChange(condition.description(in: context)) },
    ])
  }
}
