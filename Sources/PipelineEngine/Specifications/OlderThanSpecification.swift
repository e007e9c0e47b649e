import Operations
import RunHistory

/// Whether something is older than a given age; something that does not exist is.
struct OlderThanSpecification: LoopSpecification {
  let birth: RecordTime?
  let age: Duration
  let text: String
  let loop: EventLoop

  func isSatisfied(in context: OperationContext) -> Bool { left(in: context) <= .zero }

  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void {
    let left = left(in: OperationContext())
    guard left > .zero else { return {} }
    let timer = loop.schedule(after: left, onChange)
    return { loop.cancelTimer(timer) }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let isAhead = passed(in: context).map { $0 < .zero } ?? false
    let reason =
      birth.map { "it is from \($0.text)" + (isAhead ? ", which is in the future: the clock was set back" : "") }
      ?? "there is no success yet"
    return SpecificationDescription(formula: text, reason: reason, isSatisfied: isSatisfied(in: context))
  }

  /// Returns its age by the wall clock: negative if that was set back, nil if it does not exist.
  private func passed(in context: OperationContext) -> Duration? {
    birth.map { Timestamp($0).duration(to: context.operationClock.now()) }
  }

  /// Returns how long it takes until the age is exceeded.
  private func left(in context: OperationContext) -> Duration {
    // Something from the future may be of any age.
    guard let passed = passed(in: context), passed >= .zero else { return .zero }
    return passed > age ? .zero : age - passed + .microseconds(1)
  }
}
