/// A type-erased specification, for properties, context entries and lists.
public struct AnyOperationRunSpecification: OperationRunSpecification {
  /// The wrapped specification.
  public let base: any OperationRunSpecification

  /// Erases the type of `base`; an erased specification is not wrapped again.
  public init(_ base: any OperationRunSpecification) {
    self.base = (base as? AnyOperationRunSpecification)?.base ?? base
  }

  /// Returns whether the wrapped specification is satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    base.isSatisfied(in: context)
  }

  /// Returns the value of the wrapped specification.
  public func value(in context: OperationContext) -> Bool? {
    base.value(in: context)
  }

  /// Subscribes to the wrapped specification.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    base.subscribe(in: context, onChange: onChange)
  }

  /// Returns the description of the wrapped specification.
  public func description(in context: OperationContext) -> SpecificationDescription {
    base.description(in: context)
  }
}
