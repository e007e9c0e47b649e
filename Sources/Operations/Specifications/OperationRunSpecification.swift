/// An observable boolean: whether it is satisfied now, and notifications of possible changes.
///
/// Specifications decide when operations may run, when they are rerun and when their results are stale. They compose with `!`, `&&` and
/// `||`, are protected against flapping by ``hold(for:)``, and describe in one line what they wait for.
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
/// A specification that follows something must know its value at all times, not only while it has subscribers.
public protocol OperationRunSpecification: Sendable {
  /// Returns whether the specification is satisfied now. Must be cheap; may be called from any thread, including from `onChange`.
  func isSatisfied(in context: OperationContext) -> Bool

  /// Returns the value, or nil while it is unknown, for example because the observed source cannot be read. Default:
  /// the result of ``isSatisfied(in:)``.
  ///
  /// An unknown value satisfies nothing: ``isSatisfied(in:)`` is then false for both the specification and its
  /// negation. `&&` and `||` are unknown if the known values do not decide them.
  func value(in context: OperationContext) -> Bool?

  /// Calls `onChange` each time the value may have changed, until the subscription ends.
  ///
  /// `onChange` is not called at the time of subscribing, and carries no value: it can call ``isSatisfied(in:)``, whose
  /// result is never older than the notification. It may be called although the value is unchanged, but not repeatedly
  /// without cause. It is called on any thread, without a lock of the specification held, and may itself subscribe, or
  /// cancel this subscription; after cancelling, it is not called again.
  func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription

  /// Returns a one-line description of the condition and the reason for its value, for people. Default: the type's name
  /// and the value.
  func description(in context: OperationContext) -> SpecificationDescription
}

extension OperationRunSpecification {
  /// Returns the result of ``isSatisfied(in:)``.
  public func value(in context: OperationContext) -> Bool? { isSatisfied(in: context) }

  /// Returns the type's name and the value.
  public func description(in context: OperationContext) -> SpecificationDescription {
    SpecificationDescription(name: "\(Self.self)", isSatisfied: isSatisfied(in: context), in: context)
  }
}
