/// Limits the duration of a request. See ``OperationRequest/timeout(_:)``.
public struct TimeoutModifier<Operation: OperationRequest>: OperationModifier {
  /// The limit; nil means none.
  public let duration: Duration?

  @inlinable
  init(duration: Duration?) {
    self.duration = duration
  }

  /// Runs `operation` with the time limit.
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

/// Thrown when an operation exceeded its timeout and was cancelled.
public struct OperationTimeoutError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The timeout.
  public let duration: Duration

  /// Creates the error for the timeout `duration`.
  public init(_ duration: Duration) {
    self.duration = duration
  }

  /// The identifier of this failure in history and filters.
  public var code: String { "timeout" }

  /// A description for people.
  public var description: String { "did not end within its timeout of \(duration)" }
}

extension OperationRequest {
  /// Limits each run of the request to `duration`; nil means no limit, at no extra cost.
  ///
  /// When the time is over, the request is cancelled and awaited (so that no part of it keeps running), and
  /// ``OperationTimeoutError`` is thrown, even if the cancelled request ended with another error or succeeded. A
  /// request that ignores cancellation therefore delays the error. A duration of zero or less throws without starting
  /// the request.
  ///
  /// Inside a retry the timeout limits each attempt; around it, all attempts and waits together.
  @inlinable
  public func timeout(_ duration: Duration?) -> ModifiedOperation<Self, TimeoutModifier<Self>> {
    modifier(TimeoutModifier(duration: duration))
  }
}
