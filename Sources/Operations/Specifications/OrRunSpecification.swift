/// A specification that is satisfied if at least one of two others is. See ``||(_:_:)``.
public struct OrRunSpecification<Left: OperationRunSpecification, Right: OperationRunSpecification>:
  OperationRunSpecification
{
  /// The first specification.
  public let left: Left
  /// The second specification.
  public let right: Right

  /// Combines `left` and `right`.
  public init(_ left: Left, _ right: Right) {
    self.left = left
    self.right = right
  }

  /// Returns whether at least one is satisfied; the second is evaluated only if the first is not satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    left.isSatisfied(in: context) || right.isSatisfied(in: context)
  }

  /// Returns whether at least one is satisfied: true if either is known to be true, otherwise nil if either is unknown.
  public func value(in context: OperationContext) -> Bool? {
    guard let left = left.value(in: context) else { return right.value(in: context) == true ? true : nil }
    return left ? true : right.value(in: context)
  }

  /// Subscribes to both, in order.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    .combined([left.subscribe(in: context, onChange: onChange), right.subscribe(in: context, onChange: onChange)])
  }

  /// Returns both conditions joined by `||`, with the reasons of the satisfied ones, or of both.
  public func description(in context: OperationContext) -> SpecificationDescription {
    .joining(left.description(in: context), right.description(in: context), by: .or)
  }
}

/// Satisfied if `left` or `right` is, or both are.
public func || <Left: OperationRunSpecification, Right: OperationRunSpecification>(
  left: Left, right: Right
) -> OrRunSpecification<Left, Right> {
  OrRunSpecification(left, right)
}
