/// A condition that is satisfied when another is not. See ``!(_:)``.
public struct NotRunSpecification<Base: OperationRunSpecification>: OperationRunSpecification {
  /// The condition that must not hold.
  public let base: Base

  /// The opposite of `base`.
  public init(_ base: Base) {
    self.base = base
  }

  /// Whether the other is known not to be satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    value(in: context) == true
  }

  /// The opposite of the other's; unknown where that is.
  public func value(in context: OperationContext) -> Bool? {
    base.value(in: context).map { !$0 }
  }

  /// Subscribes to the other.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    base.subscribe(in: context, onChange: onChange)
  }

  /// The other's formula behind `!`, and the other's reason.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let base = base.description(in: context)
    var description = SpecificationDescription(
      formula: "!\(base.operand(of: .prefix))", reason: base.reason, isSatisfied: base.value.map { !$0 },
      changedAt: base.changedAt, binding: .prefix, causes: base.causes, looksBehindNames: base.looksBehindNames)
    description.isConstant = base.isConstant
    return description
  }
}

/// Satisfied when `specification` is not.
public prefix func ! <Base: OperationRunSpecification>(_ specification: Base) -> NotRunSpecification<Base> {
  NotRunSpecification(specification)
}
