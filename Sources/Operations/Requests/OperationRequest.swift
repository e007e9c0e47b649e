/// One unit of work with a typed result.
///
/// A request is an immutable value: it says what to do and keeps nothing of what happened. Whoever runs it (an
/// ``OperationRunner``, an engine) calls ``setup(context:)`` once when it takes the request over, and
/// ``run(isolation:in:with:)`` each time the work is wanted.
///
/// `run` executes on the actor of its caller. Implementations hand `isolation` on to whatever they call, so that a
/// chain of modifiers around a request never changes threads by itself. `Value` need not be `Sendable`.
public protocol OperationRequest<Value, Failure>: Sendable {
  /// What the operation produces.
  associatedtype Value
  /// What the operation can throw.
  associatedtype Failure: Error

  /// Writes into the context what every run of this request shall find there. Does nothing by default.
  ///
  /// A modifier writes first and then lets the request that it wraps write, so the choice made nearest to the work
  /// wins.
  func setup(context: inout OperationContext)

  /// Does the work once.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; that of the caller by convention.
  ///   - context: What modifiers and callers have decided for this run.
  ///   - continuation: Takes results that exist before the final one.
  /// - Returns: The final result.
  /// - Throws: What the work failed with; `CancellationError`, where `Failure` admits it, when the task was cancelled.
  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value
}

extension OperationRequest {
  /// Leaves the context as it is.
  @inlinable
  public func setup(context: inout OperationContext) {}
}
