/// A specification that never changes. See ``OperationRunSpecification/always(_:)``.
public struct AlwaysRunSpecification: OperationRunSpecification, Hashable {
  /// The value.
  public let isSatisfied: Bool

  /// Creates a specification that is always satisfied, or never.
  public init(isSatisfied: Bool = true) {
    self.isSatisfied = isSatisfied
  }

  /// Returns the value.
  public func isSatisfied(in context: OperationContext) -> Bool { isSatisfied }

  /// Never calls `onChange`.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription { .empty }

  /// Returns `always` or `never`.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let name = isSatisfied ? "always" : "never"
    var description = SpecificationDescription(
      formula: name, reason: "\(name) is \(isSatisfied)", isSatisfied: isSatisfied)
    description.isConstant = true
    return description
  }
}

extension OperationRunSpecification where Self == AlwaysRunSpecification {
  /// Always satisfied.
  public static var always: AlwaysRunSpecification { AlwaysRunSpecification(isSatisfied: true) }

  /// Never satisfied.
  public static var never: AlwaysRunSpecification { AlwaysRunSpecification(isSatisfied: false) }

  /// Always satisfied, or never, for a choice that is made once.
  public static func always(_ isSatisfied: Bool) -> AlwaysRunSpecification {
    AlwaysRunSpecification(isSatisfied: isSatisfied)
  }
}
