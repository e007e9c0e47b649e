public import Operations

/// An HTTP request with its whole life: prepared, transferred, validated, processed, and tried again where that makes
/// sense.
///
/// ```swift
/// let client = HTTPClient()
/// let fetch = HTTPOperation(.init(url: "https://example.org/releases.json"), by: client, to: .data)
/// let bytes = try await OperationRunner(fetch).run()
/// ```
///
/// Each attempt: the request processors, on the original request; the transfer; the validators, on the head; the result
/// processor. A failure is shown to the retry providers; the first that has an opinion decides. The retry itself is
/// that of `Operations`: its delays, deadline, cancellation, observer and resumption are the same as everywhere.
///
/// A retry around a request that runs this one, such as that of an `OperationClient`, adds none: the error says that
/// another attempt makes no sense, unless this operation has no retries (``HTTPRetrySettings/none``) and its verdict is
/// to retry.
///
/// Throws ``HTTPOperationError``; `CancellationError` when the task is cancelled; `RetryDeadlineError` at the deadline.
public struct HTTPOperation<Value: Sendable>: OperationRequest {
  var settings: CopyOnWrite<HTTPOperationSettings<Value>>

  /// An operation.
  ///
  /// - Parameters:
  ///   - request: What is sent.
  ///   - transport: What carries it, such as an ``HTTPClient``.
  ///   - result: What becomes of the response, such as `.data`, `.text` or `.file(…)`.
  public init(
    _ request: HTTPTransferRequest, by transport: any HTTPTransport, to result: any HTTPResultProcessor<Value>
  ) {
    settings = CopyOnWrite(HTTPOperationSettings(request: request, transport: transport, result: result))
  }

  /// Announces the retry.
  public func setup(context: inout OperationContext) {
    modifier.setup(context: &context, using: attempt)
  }

  /// Makes attempts until one succeeds or there is no point in another.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, any Error>
  ) async throws -> Value {
    let retries = retries(in: context, with: continuation)
    do {
      return try await retries.run(isolation: isolation)
    } catch var error as HTTPOperationError where retries.limit > 0 {
      // A retry around this operation, such as a client's, shall not multiply the requests.
      error.hasRetried = true
      throw error
    }
  }

  /// Not by way of the modifier's own `run`, whose frame would wait as well.
  @inline(never)
  private func retries(
    in context: OperationContext, with continuation: OperationContinuation<Value, any Error>
  ) -> RetryRun<HTTPAttempt<Value>> {
    modifier.retries(always: attempt, in: context, with: continuation)
  }

  private var modifier: RetryModifier<HTTPAttempt<Value>> {
    RetryModifier(policy: retry.policy)
  }

  /// One attempt alone, for those who have a retry of their own: the verdict is in the error that it throws.
  public var attempt: HTTPAttempt<Value> { HTTPAttempt(operation: self) }
}
