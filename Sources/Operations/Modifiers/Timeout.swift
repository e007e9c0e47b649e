/// Bounds how long a request may run. See ``OperationRequest/timeout(_:)``.
public struct TimeoutModifier<Operation: OperationRequest>: OperationModifier {
  /// The bound; nil is none.
  public let duration: Duration?

  @inlinable
  init(duration: Duration?) {
    self.duration = duration
  }

  /// Runs `operation` against the clock.
  @inlinable
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) async throws -> Operation.Value {
    let narrowed = continuation.narrowed(to: Operation.Failure.self)
    guard let duration else {
      return try await operation.run(isolation: isolation, in: context, with: narrowed)
    }
    let value = try await TimeLimit.run(
      operation, isolation: isolation, in: context, with: narrowed, for: duration,
      delayer: context.operationTimeLimitDelayer ?? context.operationDelayer)
    guard let value else { throw OperationTimeoutError(duration) }
    return value
  }
}

/// An operation did not end within its timeout, and was cancelled.
public struct OperationTimeoutError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The timeout.
  public let duration: Duration

  /// The timeout `duration` was exceeded.
  public init(_ duration: Duration) {
    self.duration = duration
  }

  /// Names this failure in history and in filters.
  public var code: String { "timeout" }

  /// The failure, for people.
  public var description: String { "did not end within its timeout of \(duration)" }
}

extension OperationRequest {
  /// Lets each run of the request last at most `duration`; nil does not bound it and costs nothing.
  ///
  /// When the time is over the request is cancelled, its end is awaited (so nothing of it is left running), and
  /// ``OperationTimeoutError`` is thrown: also when the request ended with another error, or successfully, after it was
  /// cancelled. A request that ignores cancellation therefore delays the error. A duration of zero or less throws
  /// without starting the request.
  ///
  /// Inside of a retry the timeout bounds each attempt, around it all attempts and waits together.
  @inlinable
  public func timeout(_ duration: Duration?) -> ModifiedOperation<Self, TimeoutModifier<Self>> {
    modifier(TimeoutModifier(duration: duration))
  }
}
