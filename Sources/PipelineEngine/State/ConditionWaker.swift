import Operations
import PipelineLanguage

/// Brings a waiting retry forward when a condition turns true, which is made anew for each wait: what has changed or succeeded before the wait
/// began is no reason to try again.
struct ConditionWaker: RetryWaker {
  let name: String
  let formula: SpecificationFormula
  let conditions: LoopBound<RunConditions>
  let context: OperationContext
  /// Is told what the condition is after each of its changes during a wait. Any thread.
  let onChange: @Sendable (SpecificationDescription) -> Void

  /// *On the loop.*
  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    // Whether the paths can be computed was seen before the first attempt.
    guard let condition = try? conditions.value.make(formula, since: .now) else { return OperationSubscription {} }
    return .combined([
      SpecificationWaker(condition, in: context, name: name).subscribe(onWake),
      condition.subscribe(in: context) { [context, onChange] in onChange(condition.description(in: context)) },
    ])
  }
}
