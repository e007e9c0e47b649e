/// A request wrapped in a modifier, itself a request.
public struct ModifiedOperation<Operation: OperationRequest, Modifier: OperationModifier>: OperationRequest
where Modifier.Operation == Operation {
  /// The wrapped request.
  public let operation: Operation
  /// The modifier around it.
  public let modifier: Modifier

  @inlinable
  init(operation: Operation, modifier: Modifier) {
    self.operation = operation
    self.modifier = modifier
  }

  /// Lets the modifier write into the context, and then the request, whose choice takes precedence.
  @inlinable
  public func setup(context: inout OperationContext) {
    modifier.setup(context: &context, using: operation)
  }

  /// Runs the request through the modifier.
  @inlinable
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Modifier.Value, Modifier.Failure>
  ) async throws(Modifier.Failure) -> Modifier.Value {
    try await modifier.run(isolation: isolation, in: context, using: operation, with: continuation)
  }
}
