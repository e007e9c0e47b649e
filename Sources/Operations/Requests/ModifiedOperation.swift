/// A request with a modifier around it, itself a request.
public struct ModifiedOperation<Operation: OperationRequest, Modifier: OperationModifier>: OperationRequest
where Modifier.Operation == Operation {
  /// The request inside.
  public let operation: Operation
  /// The modifier around it.
  public let modifier: Modifier

  @inlinable
  init(operation: Operation, modifier: Modifier) {
    self.operation = operation
    self.modifier = modifier
  }

  /// Lets the modifier write first, and then the request, so that the request's own choice wins.
  @inlinable
  public func setup(context: inout OperationContext) {
    modifier.setup(context: &context, using: operation)
  }

  /// Runs the request in the modifier's way.
  @inlinable
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Modifier.Value, Modifier.Failure>
  ) async throws(Modifier.Failure) -> Modifier.Value {
    try await modifier.run(isolation: isolation, in: context, using: operation, with: continuation)
  }
}
