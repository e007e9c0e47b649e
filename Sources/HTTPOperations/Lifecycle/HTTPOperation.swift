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

/// How often a request is tried again, and when.
public struct HTTPRetrySettings: Sendable {
  /// The most retries. 3 by default.
  public var limit: Int
  /// How long to wait before each. Exponential from 1 s to 60 s with full jitter by default: up to 1, 2 and 4 s.
  public var backoff: OperationBackoff
  /// Bounds all attempts and waits together. nil, the default, is no bound.
  public var deadline: Duration?
  /// The longest wait that `Retry-After` can ask for: what is longer is cut to this. 10 minutes by default.
  public var retryAfterCap: Duration
  /// Bounds the retries to each endpoint; nil is no bound. ``HTTPRetryBudget/shared`` by default.
  public var budget: HTTPRetryBudget?

  /// Settings; each has its default.
  public init(
    limit: Int = 3, backoff: OperationBackoff = OperationBackoff(), deadline: Duration? = nil,
    retryAfterCap: Duration = .seconds(600), budget: HTTPRetryBudget? = .shared
  ) {
    self.limit = limit
    self.backoff = backoff
    self.deadline = deadline
    self.retryAfterCap = retryAfterCap
    self.budget = budget
  }

  /// No retry.
  public static let none = HTTPRetrySettings(limit: 0)

  var policy: RetryPolicy {
    RetryPolicy(limit: limit, backoff: backoff, deadline: deadline) { [budget] error, _ in
      guard let failure = error as? HTTPOperationError else {
        return .stop(reason: "this is no failure of the request")
      }
      return failure.decision(budget: budget)
    }
  }
}

extension HTTPOperationError {
  /// What the retry core is told: the verdict, within the budget.
  ///
  /// - Parameter budget: Bounds the retries to the endpoint; nil does not.
  /// - Returns: What the core does.
  public func decision(budget: HTTPRetryBudget?) -> RetryDecision {
    switch verdict {
    case .stop(let reason): return .stop(reason: reason)
    case .retry:
      guard let budget, let endpoint, !budget.take(for: endpoint) else { return .noOpinion }
      return .stop(reason: "the retry budget of \(endpoint) is used up")
    }
  }
}
