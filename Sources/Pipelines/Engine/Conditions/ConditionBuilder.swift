import Operations

/// Makes the observable conditions that a pipeline's formulas speak of.
struct ConditionBuilder {
  let services: HostServices
  let specifications: [PipelineDefinition.Specification]
  /// What `changed(…)` counts from; nil for the time when the condition is made.
  var moment: RecordTime?
  /// When that came to be whose age `older-than(…)` asks for.
  var birth: RecordTime?
  /// The absolute path that a path of the pipeline file means.
  let path: (Template) throws -> String

  /// The condition that `formula` describes.
  func make(_ formula: SpecificationFormula) throws -> AnyOperationRunSpecification {
    try make(formula.root)
  }

  private func make(_ node: SpecificationFormula.Node) throws -> AnyOperationRunSpecification {
    switch node {
    case .always: return AnyOperationRunSpecification(.always)
    case .never: return AnyOperationRunSpecification(.never)
    case .connected: return services.connected()
    case .foreground: return services.foreground()
    case .olderThan(let age):
      return AnyOperationRunSpecification(
        OlderThanSpecification(
          birth: birth, age: age, text: "older-than(\(DurationNotation.format(age)))", loop: services.loop))
    case .fileExists(let template):
      let path = try path(template)
      return AnyOperationRunSpecification(
        FileExistsSpecification(
          path: path, text: "file-exists(\(template.text))", watch: services.paths, loop: services.loop))
    case .changed(let template):
      let path = try path(template)
      return AnyOperationRunSpecification(
        ChangedSpecification(
          path: path, text: "changed(\(template.text))", since: moment, watch: services.paths, loop: services.loop))
    case .succeeded(let pipeline):
      return AnyOperationRunSpecification(
        PipelineSucceededSpecification(
          pipeline: pipeline, text: "succeeded(\(pipeline))", history: services.history, watch: services.watch,
          loop: services.loop))
    case .named(let position):
      let specification = specifications[position]
      let formula = try make(specification.formula.root)
      guard let hold = specification.hold else {
        return AnyOperationRunSpecification(formula.named(specification.name))
      }
      return AnyOperationRunSpecification(formula.hold(for: hold).named(specification.name))
    case .not(let operand): return AnyOperationRunSpecification(!(try make(operand)))
    case .and(let operands): return try joined(operands) { AnyOperationRunSpecification($0 && $1) }
    case .or(let operands): return try joined(operands) { AnyOperationRunSpecification($0 || $1) }
    }
  }

  private func joined(
    _ operands: [SpecificationFormula.Node],
    by join: (AnyOperationRunSpecification, AnyOperationRunSpecification) -> AnyOperationRunSpecification
  ) throws -> AnyOperationRunSpecification {
    var all: AnyOperationRunSpecification?
    for operand in operands {
      let next = try make(operand)
      all = all.map { join($0, next) } ?? next
    }
    return all ?? AnyOperationRunSpecification(.always)
  }
}

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

/// Brings a waiting retry forward when a condition turns true.
struct ConditionWaker: RetryWaker {
  let name: String
  let condition: AnyOperationRunSpecification
  let context: OperationContext

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    // Only a transition counts: what was true already when the attempt failed would wake every retry at once.
    let edge = ConditionEdge(wasSatisfied: condition.isSatisfied(in: context))
    return condition.subscribe(in: context) { [condition, context] in
      if edge.turnsTrue(condition.isSatisfied(in: context)) { onWake() }
    }
  }
}
