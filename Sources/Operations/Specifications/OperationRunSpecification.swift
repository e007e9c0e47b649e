/// An observable condition: whether it is satisfied now, and word of when that may have changed.
///
/// Specifications decide when operations may run, when they run again and when their results are stale. They compose
/// with `!`, `&&` and `||`, hold against flapping with ``hold(for:)``, and say in one line what they wait for.
///
/// ```swift
/// struct LoggedInSpecification: OperationRunSpecification {
///   let session: Session
///
///   func isSatisfied(in context: OperationContext) -> Bool { session.token != nil }
///
///   func subscribe(
///     in context: OperationContext, onChange: @escaping @Sendable () -> Void
///   ) -> OperationSubscription {
///     let observation = session.observe { _ in onChange() }
///     return OperationSubscription { observation.end() }
///   }
/// }
/// ```
///
/// A specification that follows something must know its value at any time, not only while it is subscribed to.
public protocol OperationRunSpecification: Sendable {
  /// Whether the condition holds now. Cheap, and may be called from any thread, also from within `onChange`.
  func isSatisfied(in context: OperationContext) -> Bool

  /// The value as far as it is known: nil while it is not, such as while what is observed cannot be read. What
  /// ``isSatisfied(in:)`` says by default.
  ///
  /// Unknown satisfies nothing, neither the condition nor its opposite: ``isSatisfied(in:)`` is false then, and so is that
  /// of `!condition`. `&&` and `||` are unknown where what is known does not decide them.
  func value(in context: OperationContext) -> Bool?

  /// Calls `onChange` each time after the value may have changed, until the subscription ends.
  ///
  /// `onChange` is not called at the time of subscribing, and carries no value: whoever wants it asks
  /// ``isSatisfied(in:)``, whose answer is never older than the call. It may be called although the value is the same,
  /// but not again and again without cause. It is called on any thread, under no lock of the specification, and may
  /// itself subscribe, or cancel this subscription; when it cancels, it is not called again.
  func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription

  /// What the condition is, and why it has the value it has, in one line for people. The type's name and the value by
  /// default.
  func description(in context: OperationContext) -> SpecificationDescription
}

extension OperationRunSpecification {
  /// What ``isSatisfied(in:)`` says.
  public func value(in context: OperationContext) -> Bool? { isSatisfied(in: context) }

  /// The type's name and the value.
  public func description(in context: OperationContext) -> SpecificationDescription {
    SpecificationDescription(name: "\(Self.self)", isSatisfied: isSatisfied(in: context), in: context)
  }
}
