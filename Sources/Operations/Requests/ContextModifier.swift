/// Writes into the context of a request without changing its runs.
public struct ContextModifier<Operation: OperationRequest>: OperationModifier {
  @usableFromInline let write: @Sendable (inout OperationContext) -> Void

  @inlinable
  init(write: @escaping @Sendable (inout OperationContext) -> Void) {
    self.write = write
  }

  /// Writes into the context, and then lets `operation` write, whose choice takes precedence.
  @inlinable
  public func setup(context: inout OperationContext, using operation: Operation) {
    write(&context)
    operation.setup(context: &context)
  }

  /// Runs `operation` unchanged.
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
  /// Writes into the context of every run of this request. Values that inner modifiers or the request itself write for
  /// the same key take precedence.
  @inlinable
  public func context(
    _ write: @escaping @Sendable (inout OperationContext) -> Void
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    modifier(ContextModifier(write: write))
  }
}
