import Operations

/// An operation's action as a request of the `Operations` library, so that its modifiers shape it like any other.
struct ActionOperation: OperationRequest {
  typealias Value = OperationResult
  typealias Failure = any Error

  let engine: RunEngine
  let ordinal: Int

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<OperationResult, any Error>
  ) async throws -> OperationResult {
    try await engine.perform(ordinal)
  }
}

/// Makes each run of the action an attempt: it waits for its slot and resources, is numbered, and is recorded. Between attempts nothing is held.
struct AttemptModifier<Operation: OperationRequest>: OperationModifier where Operation.Value == OperationResult {
  let engine: RunEngine
  let ordinal: Int

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext, using operation: Operation,
    with continuation: OperationContinuation<OperationResult, any Error>
  ) async throws -> OperationResult {
    try await engine.beginAttempt(ordinal)
    let outcome: Result<OperationResult, any Error>
    do {
      outcome = .success(
        try await operation.run(
          isolation: isolation, in: context, with: continuation.narrowed(to: Operation.Failure.self)))
    } catch {
      outcome = .failure(error)
    }
    if let error = await engine.endAttempt(ordinal, outcome) { throw error }
    return try outcome.get()
  }
}

extension OperationDefinition {
  /// The retry policy that the `retry:` of this operation spells.
  var retryPolicy: RetryPolicy {
    let kind: OperationBackoff.Kind =
      switch retry.backoff {
      case .constant: .constant
      case .linear: .linear
      case .exponential: .exponential
      case .fibonacci: .fibonacci
      case .decorrelated: .decorrelated
      }
    let jitter: OperationBackoff.Jitter =
      switch retry.jitter {
      case .none: .none
      case .full: .full
      case .equal: .equal
      }
    let backoff = OperationBackoff(kind, base: retry.base, cap: retry.maximum, jitter: jitter)
    return RetryPolicy(limit: retry.limit, backoff: backoff, deadline: retry.deadline, decide: retryDecision)
  }

  private var retryDecision: RetryPolicy.Decide? {
    let causes = retry.on
    guard !causes.isEmpty else { return nil }
    return { error, _ in
      guard let failure = error as? OperationFailure else { return .stop(reason: "not-listed") }
      return causes.contains { $0.admits(failure) } ? .noOpinion : .stop(reason: "not-listed")
    }
  }
}

extension OperationDefinition.Retry.Cause {
  /// Whether a failure is of this kind.
  func admits(_ failure: OperationFailure) -> Bool {
    switch self {
    case .exitCode(let code): failure.exitCode == Int32(code)
    case .signal(let name): failure.signal.map(SignalName.name(of:)) == name
    case .timeout: failure.code == "timeout"
    case .error(let code): failure.code == code
    }
  }
}
