/// A specification that is satisfied if another is not. See ``!(_:)``.
public struct NotRunSpecification<Base: OperationRunSpecification>: OperationRunSpecification {
  /// The negated specification.
  public let base: Base

  /// Creates the negation of `base`.
  public init(_ base: Base) {
    self.base = base
  }

  /// Returns whether the base is known not to be satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    value(in: context) == true
  }

  /// Returns the negated value of the base; nil if that is unknown.
  public func value(in context: OperationContext) -> Bool? {
    base.value(in: context).map { !$0 }
  }

  /// Subscribes to the base.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    base.subscribe(in: context, onChange: onChange)
  }

  /// Returns the condition of the base prefixed with `!`, and its reason.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let base = base.description(in: context)
    var description = SpecificationDescription(
      formula: "!\(base.operand(of: .prefix))", reason: base.reason, isSatisfied: base.value.map { !$0 },
      changedAt: base.changedAt, binding: .prefix, causes: base.causes, looksBehindNames: base.looksBehindNames)
    description.isConstant = base.isConstant
    return description
  }
}

/// Satisfied if `specification` is not.
public prefix func ! <Base: OperationRunSpecification>(_ specification: Base) -> NotRunSpecification<Base> {
  NotRunSpecification(specification)
}
