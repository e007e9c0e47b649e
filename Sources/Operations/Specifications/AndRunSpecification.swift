/// A condition that is satisfied when two others are. See ``&&(_:_:)``.
public struct AndRunSpecification<Left: OperationRunSpecification, Right: OperationRunSpecification>:
  OperationRunSpecification
{
  /// The first condition.
  public let left: Left
  /// The second condition.
  public let right: Right

  /// Both `left` and `right`.
  public init(_ left: Left, _ right: Right) {
    self.left = left
    self.right = right
  }

  /// Whether both are satisfied; the second is asked only when the first is.
  public func isSatisfied(in context: OperationContext) -> Bool {
    left.isSatisfied(in: context) && right.isSatisfied(in: context)
  }

  /// Whether both are satisfied: false where one is known not to be, and else unknown where one of them is.
  public func value(in context: OperationContext) -> Bool? {
    guard let left = left.value(in: context) else { return right.value(in: context) == false ? false : nil }
    return left ? right.value(in: context) : false
  }

  /// Subscribes to both, the first one first.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    .combined([left.subscribe(in: context, onChange: onChange), right.subscribe(in: context, onChange: onChange)])
  }

  /// Both formulas joined by `&&`, and the reasons of what is not satisfied, or of both.
  public func description(in context: OperationContext) -> SpecificationDescription {
    .joining(left.description(in: context), right.description(in: context), by: .and)
  }
}

/// Satisfied when both `left` and `right` are.
public func && <Left: OperationRunSpecification, Right: OperationRunSpecification>(
  left: Left, right: Right
) -> AndRunSpecification<Left, Right> {
  AndRunSpecification(left, right)
}
