/// Takes the results that an operation has before its final one.
///
/// The handler is called on the thread of whoever yields, before `yield` returns. A continuation without a handler
/// discards what it is given and costs nothing.
public struct OperationContinuation<Value, Failure: Error>: Sendable {
  /// Receives a yielded result, and the context to read it in where it differs from the run's.
  public typealias Handler = @Sendable (Result<Value, Failure>, OperationContext?) -> Void

  @usableFromInline let handler: Handler?

  /// A continuation that discards everything.
  @inlinable
  public init() {
    self.handler = nil
  }

  /// A continuation that hands everything to `handler`.
  @inlinable
  public init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  /// Hands over a value that is not the final one.
  @inlinable
  public func yield(_ value: Value, using context: OperationContext? = nil) {
    handler?(.success(value), context)
  }

  /// Hands over an error that does not end the run.
  @inlinable
  public func yield(error: Failure, using context: OperationContext? = nil) {
    handler?(.failure(error), context)
  }

  /// Hands over a value or an error that does not end the run.
  @inlinable
  public func yield(with result: Result<Value, Failure>, using context: OperationContext? = nil) {
    handler?(result, context)
  }
}

extension OperationContinuation where Failure == any Error {
  /// The same continuation for an operation that throws a narrower error.
  @inlinable
  public func narrowed<Narrow: Error>(to _: Narrow.Type) -> OperationContinuation<Value, Narrow> {
    guard let handler else { return OperationContinuation<Value, Narrow>() }
    return OperationContinuation<Value, Narrow> { result, context in
      handler(result.mapError { $0 as any Error }, context)
    }
  }
}
