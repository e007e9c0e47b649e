/// Changes how a request is set up or run, transparently to the request.
///
/// A modifier is an immutable value in a small file of its own: the method on ``OperationRequest`` that applies it, the
/// modifier, and the context entries it reads. Modifiers nest: the one applied last is the outermost.
public protocol OperationModifier<Operation>: Sendable {
  /// The request that is modified.
  associatedtype Operation: OperationRequest
  /// The result that the modified request produces.
  associatedtype Value
  /// The error that the modified request can throw.
  associatedtype Failure: Error

  /// Writes into the context, and then lets `operation` write. By default, only does the latter.
  func setup(context: inout OperationContext, using operation: Operation)

  /// Runs `operation` as modified: once, several times, or not at all.
  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Value, Failure>
  ) async throws(Failure) -> Value
}

extension OperationModifier {
  /// Lets `operation` write into the context.
  @inlinable
  public func setup(context: inout OperationContext, using operation: Operation) {
    operation.setup(context: &context)
  }
}

extension OperationRequest {
  /// Returns the request wrapped in `modifier`.
  @inlinable
  public func modifier<Modifier: OperationModifier>(
    _ modifier: Modifier
  ) -> ModifiedOperation<Self, Modifier> where Modifier.Operation == Self {
    ModifiedOperation(operation: self, modifier: modifier)
  }
}
