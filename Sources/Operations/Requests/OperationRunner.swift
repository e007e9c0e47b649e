/// Runs a request any number of times, without keeping state between runs.
///
/// The request's `setup` is called once, when the runner is created.
public struct OperationRunner<Operation: OperationRequest>: Sendable {
  /// The request to run.
  public let operation: Operation
  /// The context of the request's runs. Changes apply from the next run on.
  public var context: OperationContext

  /// Creates a runner for `operation`, starting from `context` (empty by default).
  @inlinable
  public init(_ operation: Operation, context: OperationContext = OperationContext()) {
    self.operation = operation
    self.context = context
    operation.setup(context: &self.context)
  }

  /// Runs the request once, on the caller's actor.
  @inlinable
  public func run(
    isolation: isolated (any Actor)? = #isolation,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure> = OperationContinuation()
  ) async throws(Operation.Failure) -> Operation.Value {
    try await operation.run(isolation: isolation, in: context, with: continuation)
  }
}
