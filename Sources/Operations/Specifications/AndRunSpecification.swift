/// A specification that is satisfied if two others are. See ``&&(_:_:)``.
public struct AndRunSpecification<Left: OperationRunSpecification, Right: OperationRunSpecification>:
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

  /// Returns whether both are satisfied; the second is evaluated only if the first is satisfied.
  public func isSatisfied(in context: OperationContext) -> Bool {
    left.isSatisfied(in: context) && right.isSatisfied(in: context)
  }

  /// Returns whether both are satisfied: false if either is known to be false, otherwise nil if either is unknown.
  public func value(in context: OperationContext) -> Bool? {
    guard let left = left.value(in: context) else { return right.value(in: context) == false ? false : nil }
    return left ? right.value(in: context) : false
  }

  /// Subscribes to both, in order.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    .combined([left.subscribe(in: context, onChange: onChange), right.subscribe(in: context, onChange: onChange)])
  }

  /// Returns both conditions joined by `&&`, with the reasons of the unsatisfied ones, or of both.
  public func description(in context: OperationContext) -> SpecificationDescription {
    .joining(left.description(in: context), right.description(in: context), by: .and)
  }
}

/// Satisfied if both `left` and `right` are.
public func && <Left: OperationRunSpecification, Right: OperationRunSpecification>(
  left: Left, right: Right
) -> AndRunSpecification<Left, Right> {
  AndRunSpecification(left, right)
}
