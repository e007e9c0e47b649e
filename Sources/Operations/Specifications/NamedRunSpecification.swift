/// A condition with a name of its own. See ``OperationRunSpecification/named(_:_:)``.
public struct NamedRunSpecification<Base: OperationRunSpecification>: OperationRunSpecification {
  /// What people call the condition.
  public let name: String
  /// The condition.
  public let base: Base

  /// `base` under the name `name`.
  public init(_ name: String, _ base: Base) {
    self.name = name
    self.base = base
  }

  /// Whether the condition is satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    base.isSatisfied(in: context)
  }

  /// The value of the condition.
  public func value(in context: OperationContext) -> Bool? {
    base.value(in: context)
  }

  /// Subscribes to the condition.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    base.subscribe(in: context, onChange: onChange)
  }

  /// The name in place of the formula, and the value under that name with what decides it.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let base = base.description(in: context)
    var description = SpecificationDescription(name: name, of: base, in: context)
    description.isConstant = base.isConstant
    return description
  }
}

extension OperationRunSpecification {
  /// The condition `specification`, which descriptions call `name`.
  public static func named<Base: OperationRunSpecification>(
    _ name: String, _ specification: Base
  ) -> Self where Self == NamedRunSpecification<Base> {
    NamedRunSpecification(name, specification)
  }

  /// This condition under a name that descriptions call it by.
  public func named(_ name: String) -> NamedRunSpecification<Self> {
    NamedRunSpecification(name, self)
  }
}
