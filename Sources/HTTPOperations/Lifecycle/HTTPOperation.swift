public import Operations

/// An HTTP request with its whole life cycle: prepared, transferred, validated, processed, and retried where that makes sense.
///
/// ```swift
/// let client = HTTPClient()
/// let fetch = HTTPOperation(.init(url: "https://example.org/releases.json"), by: client, to: .data)
/// let bytes = try await OperationRunner(fetch).run()
/// ```
///
/// Each attempt consists of the request processors, on the original request; the transfer; the validators, on the head; and the result processor. A
/// failure is passed to the retry providers; the first that has an opinion decides. The retry itself is that of `Operations`: its delays, deadline,
/// cancellation, observer and resumption are the same as everywhere.
///
/// An enclosing retry, such as that of an `OperationClient`, adds no attempts: the error says that another attempt makes no sense, unless this operation
/// has no retries (``HTTPRetrySettings/none``) and its verdict is to retry.
///
/// Throws ``HTTPOperationError``; `CancellationError` if the task is cancelled; `RetryDeadlineError` at the deadline.
public struct HTTPOperation<Value: Sendable>: OperationRequest {
  var settings: CopyOnWrite<HTTPOperationSettings<Value>>

  /// Creates an operation.
  ///
  /// - Parameters:
  ///   - request: The request to send.
  ///   - transport: The transport, such as an ``HTTPClient``.
  ///   - result: The processor of the response, such as `.data`, `.text` or `.file(…)`.
  public init(
    _ request: HTTPTransferRequest, by transport: any HTTPTransport, to result: any HTTPResultProcessor<Value>
  ) {
    settings = CopyOnWrite(HTTPOperationSettings(request: request, transport: transport, result: result))
  }

  /// Announces the retry.
  public func setup(context: inout OperationContext) {
    modifier.setup(context: &context, using: attempt)
  }

  /// Makes attempts until one succeeds or another makes no sense.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, any Error>
  ) async throws -> Value {
    let retries = retries(in: context, with: continuation)
    do {
      return try await retries.run(isolation: isolation)
    } catch var error as HTTPOperationError where retries.limit > 0 {
      // An enclosing retry, such as a client's, must not multiply the requests.
      error.hasRetried = true
      throw error
    }
  }

  /// Avoids the modifier's own `run`, whose frame would be kept during the waits as well.
  @inline(never)
  private func retries(
    in context: OperationContext, with continuation: OperationContinuation<Value, any Error>
  ) -> RetryRun<HTTPAttempt<Value>> {
    modifier.retries(always: attempt, in: context, with: continuation)
  }

  private var modifier: RetryModifier<HTTPAttempt<Value>> {
    RetryModifier(policy: retry.policy)
  }

  /// A single attempt, for callers with their own retry: the error that it throws contains the verdict.
  public var attempt: HTTPAttempt<Value> { HTTPAttempt(operation: self) }
}
