import Operations

/// Whether something is older than some time; what is not there is.
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
    let reason = birth.map { "it is from \($0.text)" } ?? "there is none yet"
    return SpecificationDescription(formula: text, reason: reason, isSatisfied: isSatisfied(in: context))
  }

  /// How long it takes until the age is exceeded.
  private func left(in context: OperationContext) -> Duration {
    guard let birth else { return .zero }
    let now = context.operationClock.now()
    let passed = Duration.microseconds(now.seconds * 1_000_000 + Int64(now.nanoseconds / 1000) - birth.microseconds)
    return passed > age ? .zero : age - passed + .microseconds(1)
  }
}
