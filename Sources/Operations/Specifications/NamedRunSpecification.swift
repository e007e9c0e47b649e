/// A specification with a name of its own. See ``OperationRunSpecification/named(_:_:)``.
public struct NamedRunSpecification<Base: OperationRunSpecification>: OperationRunSpecification {
  /// The name of the specification in descriptions.
  public let name: String
  /// The named specification.
  public let base: Base

  /// Creates a specification equivalent to `base` with the name `name`.
  public init(_ name: String, _ base: Base) {
    self.name = name
    self.base = base
  }

  /// Returns whether the base is satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    base.isSatisfied(in: context)
  }

  /// Returns the value of the base.
  public func value(in context: OperationContext) -> Bool? {
    base.value(in: context)
  }

  /// Subscribes to the base.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    base.subscribe(in: context, onChange: onChange)
  }

  /// Returns the name in place of the condition, with the value and what decides it.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let base = base.description(in: context)
    var description = SpecificationDescription(name: name, of: base, in: context)
    description.isConstant = base.isConstant
    return description
  }
}

extension OperationRunSpecification {
  /// Returns `specification` with the name `name` in descriptions.
  public static func named<Base: OperationRunSpecification>(
    _ name: String, _ specification: Base
  ) -> Self where Self == NamedRunSpecification<Base> {
    NamedRunSpecification(name, specification)
  }

  /// Returns this specification with the name `name` in descriptions.
  public func named(_ name: String) -> NamedRunSpecification<Self> {
    NamedRunSpecification(name, self)
  }
}
