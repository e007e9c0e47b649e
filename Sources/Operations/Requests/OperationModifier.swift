/// Changes how a request is set up or run, without the request knowing.
///
/// A modifier is an immutable value in a small file of its own: the method on ``OperationRequest`` that applies it, the
/// modifier, and the context entries it reads. Applied modifiers nest: the one written last is the outermost.
public protocol OperationModifier<Operation>: Sendable {
  /// The request that is modified.
  associatedtype Operation: OperationRequest
  /// What the modified request produces.
  associatedtype Value
  /// What the modified request can throw.
  associatedtype Failure: Error

  /// Writes into the context, and then lets `operation` write. Only does the latter by default.
  func setup(context: inout OperationContext, using operation: Operation)

  /// Runs `operation` in the modifier's way: once, several times, or not at all.
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
  /// The request with `modifier` around it.
  @inlinable
  public func modifier<Modifier: OperationModifier>(
    _ modifier: Modifier
  ) -> ModifiedOperation<Self, Modifier> where Modifier.Operation == Self {
    ModifiedOperation(operation: self, modifier: modifier)
  }
}
