/// Receives the results that an operation produces before its final one.
///
/// The handler is called on the thread of the caller of `yield`, before `yield` returns. A continuation without a
/// handler discards its results at no cost.
public struct OperationContinuation<Value, Failure: Error>: Sendable {
  /// Receives a yielded result and its context, if that differs from the run's.
  public typealias Handler = @Sendable (Result<Value, Failure>, OperationContext?) -> Void

  @usableFromInline let handler: Handler?

  /// Creates a continuation that discards all results.
  @inlinable
  public init() {
    self.handler = nil
  }

  /// Creates a continuation that passes all results to `handler`.
  @inlinable
  public init(_ handler: @escaping Handler) {
    self.handler = handler
  }

  /// Yields a value that is not the final one.
  @inlinable
  public func yield(_ value: Value, using context: OperationContext? = nil) {
    handler?(.success(value), context)
  }

  /// Yields an error that does not end the run.
  @inlinable
  public func yield(error: Failure, using context: OperationContext? = nil) {
    handler?(.failure(error), context)
  }

  /// Yields a value or an error that does not end the run.
  @inlinable
  public func yield(with result: Result<Value, Failure>, using context: OperationContext? = nil) {
    handler?(result, context)
  }
}

extension OperationContinuation where Failure == any Error {
  /// Returns the same continuation for an operation that throws a narrower error.
  @inlinable
  public func narrowed<Narrow: Error>(to _: Narrow.Type) -> OperationContinuation<Value, Narrow> {
    guard let handler else { return OperationContinuation<Value, Narrow>() }
    return OperationContinuation<Value, Narrow> { result, context in
      handler(result.mapError { $0 as any Error }, context)
    }
  }
}
