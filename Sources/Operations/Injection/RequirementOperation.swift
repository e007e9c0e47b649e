/// One unit of work that needs an input: its requirement.
///
/// Such an operation becomes an ``OperationRequest`` when it is told where its requirement comes from:
///
/// - ``requirement(_:)``: a value that is known now;
/// - `injectResult(from:)`: the result of another operation, whose type must be the requirement's, which
///   the compiler checks;
/// - `injectResult(from:transform:)`: the result of another operation, transformed;
/// - ``inject(from:_:)``: built by a closure that also sees how the other operation failed.
///
/// The combined request runs the other operation, its dependency, and then this one. What becomes of this one when the
/// dependency does not succeed is looked up in ``InjectionTable``.
public protocol RequirementOperation<Requirement, Value, Failure>: Sendable {
  /// What the operation needs.
  associatedtype Requirement
  /// What the operation produces.
  associatedtype Value
  /// What the operation can throw.
  associatedtype Failure: Error

  /// Writes into the context what every run shall find there. Does nothing by default.
  func setup(context: inout OperationContext)

  /// Does the work once, with `requirement`, on the actor `isolation`.
  func run(
    isolation: isolated (any Actor)?,
    with requirement: Requirement,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value
}

extension RequirementOperation {
  /// Leaves the context as it is.
  @inlinable
  public func setup(context: inout OperationContext) {}
}
