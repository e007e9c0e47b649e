/// A condition that is satisfied when one of two others is. See ``||(_:_:)``.
public struct OrRunSpecification<Left: OperationRunSpecification, Right: OperationRunSpecification>:
  OperationRunSpecification
{
  /// The first condition.
  public let left: Left
  /// The second condition.
  public let right: Right

  /// `left`, or `right`, or both.
  public init(_ left: Left, _ right: Right) {
    self.left = left
    self.right = right
  }

  /// Whether one is satisfied; the second is asked only when the first is not.
  public func isSatisfied(in context: OperationContext) -> Bool {
    left.isSatisfied(in: context) || right.isSatisfied(in: context)
  }

  /// Whether one is satisfied: true where one is known to be, and else unknown where one of them is.
  public func value(in context: OperationContext) -> Bool? {
    guard let left = left.value(in: context) else { return right.value(in: context) == true ? true : nil }
    return left ? true : right.value(in: context)
  }

  /// Subscribes to both, the first one first.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    .combined([left.subscribe(in: context, onChange: onChange), right.subscribe(in: context, onChange: onChange)])
  }

  /// Both formulas joined by `||`, and the reasons of what is satisfied, or of both.
  public func description(in context: OperationContext) -> SpecificationDescription {
    .joining(left.description(in: context), right.description(in: context), by: .or)
  }
}

/// Satisfied when `left` or `right` is, or both.
public func || <Left: OperationRunSpecification, Right: OperationRunSpecification>(
  left: Left, right: Right
) -> OrRunSpecification<Left, Right> {
  OrRunSpecification(left, right)
}
