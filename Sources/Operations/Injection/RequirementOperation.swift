/// A unit of work that needs an input, its requirement.
///
/// Such an operation becomes an ``OperationRequest`` once it has a source for its requirement:
///
/// - ``requirement(_:)``: a value that is already known;
/// - `injectResult(from:)`: the result of another operation, whose type must be that of the requirement, which the
///   compiler checks;
/// - `injectResult(from:transform:)`: the transformed result of another operation;
/// - ``inject(from:_:)``: a closure that also receives the failure of the other operation.
///
/// The combined request runs the other operation, its dependency, and then this one. If the dependency does not
/// succeed, ``InjectionTable`` decides about this operation.
public protocol RequirementOperation<Requirement, Value, Failure>: Sendable {
  /// The input that the operation needs.
  associatedtype Requirement
  /// The result that the operation produces.
  associatedtype Value
  /// The error that the operation can throw.
  associatedtype Failure: Error

  /// Writes values into the context for every run. Does nothing by default.
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
  /// Leaves the context unchanged.
  @inlinable
  public func setup(context: inout OperationContext) {}
}
