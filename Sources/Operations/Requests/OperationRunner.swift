/// Runs one request, as often as asked, without keeping any state.
///
/// The request's `setup` is called once, when the runner is made.
public struct OperationRunner<Operation: OperationRequest>: Sendable {
  /// The request that is run.
  public let operation: Operation
  /// What the request finds in its runs. Changes count from the next run on.
  public var context: OperationContext

  /// A runner for `operation`, starting from `context` (empty by default).
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
