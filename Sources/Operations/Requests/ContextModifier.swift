/// Writes into the context of a request and leaves its runs alone.
public struct ContextModifier<Operation: OperationRequest>: OperationModifier {
  @usableFromInline let write: @Sendable (inout OperationContext) -> Void

  @inlinable
  init(write: @escaping @Sendable (inout OperationContext) -> Void) {
    self.write = write
  }

  /// Writes, and then lets `operation` write, whose own choice wins.
  @inlinable
  public func setup(context: inout OperationContext, using operation: Operation) {
    write(&context)
    operation.setup(context: &context)
  }

  /// Runs `operation` and nothing else.
  @inlinable
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>
  ) async throws(Operation.Failure) -> Operation.Value {
    try await operation.run(isolation: isolation, in: context, with: continuation)
  }
}

extension OperationRequest {
  /// Writes into the context that every run of this request finds. What modifiers further inside or the request itself
  /// write for the same key wins.
  @inlinable
  public func context(
    _ write: @escaping @Sendable (inout OperationContext) -> Void
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    modifier(ContextModifier(write: write))
  }
}
