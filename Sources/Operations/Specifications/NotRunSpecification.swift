/// A condition that is satisfied when another is not. See ``!(_:)``.
public struct NotRunSpecification<Base: OperationRunSpecification>: OperationRunSpecification {
  /// The condition that must not hold.
  public let base: Base

  /// The opposite of `base`.
  public init(_ base: Base) {
    self.base = base
  }

  /// Whether the other is not satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    !base.isSatisfied(in: context)
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
      formula: "!\(base.operand(of: .prefix))", reason: base.reason, isSatisfied: !base.isSatisfied,
      changedAt: base.changedAt, binding: .prefix, causes: base.causes, looksBehindNames: base.looksBehindNames)
    description.isConstant = base.isConstant
    return description
  }
}

/// Satisfied when `specification` is not.
public prefix func ! <Base: OperationRunSpecification>(_ specification: Base) -> NotRunSpecification<Base> {
  NotRunSpecification(specification)
}
