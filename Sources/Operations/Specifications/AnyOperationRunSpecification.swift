/// A specification whose type is not told: for properties, context entries and lists.
public struct AnyOperationRunSpecification: OperationRunSpecification {
  /// The specification inside.
  public let base: any OperationRunSpecification

  /// Hides the type of `base`; one that is hidden already is not wrapped again.
  public init(_ base: any OperationRunSpecification) {
    self.base = (base as? AnyOperationRunSpecification)?.base ?? base
  }

  /// Whether the specification inside is satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    base.isSatisfied(in: context)
  }

  /// The value of the specification inside.
  public func value(in context: OperationContext) -> Bool? {
    base.value(in: context)
  }

  /// Subscribes to the specification inside.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    base.subscribe(in: context, onChange: onChange)
  }

  /// What the specification inside says of itself.
  public func description(in context: OperationContext) -> SpecificationDescription {
    base.description(in: context)
  }
}
