/// A unit of work with a typed result.
///
/// A request is an immutable value: it describes the work and keeps no state. Its caller (an ``OperationRunner`` or an
/// engine) calls ``setup(context:)`` once when it accepts the request, and ``run(isolation:in:with:)`` each time the
/// work is to be done.
///
/// `run` executes on the actor of its caller. Implementations pass `isolation` on to everything they call, so that a
/// chain of modifiers around a request does not switch threads by itself. `Value` does not have to be `Sendable`.
public protocol OperationRequest<Value, Failure>: Sendable {
  /// The result that the operation produces.
  associatedtype Value
  /// The error that the operation can throw.
  associatedtype Failure: Error

  /// Writes values into the context for every run of this request. Does nothing by default.
  ///
  /// A modifier writes first and then lets the request that it wraps write, so the choice closest to the work takes
  /// precedence.
  func setup(context: inout OperationContext)

  /// Does the work once.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; by convention, that of the caller.
  ///   - context: The choices of modifiers and callers for this run.
  ///   - continuation: Receives results before the final one.
  /// - Returns: The final result.
  /// - Throws: The failure of the work; `CancellationError`, if `Failure` allows it, if the task was cancelled.
  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value
}

extension OperationRequest {
  /// Leaves the context unchanged.
  @inlinable
  public func setup(context: inout OperationContext) {}
}
