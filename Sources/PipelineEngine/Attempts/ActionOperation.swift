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

/// Makes each run of the action an attempt: it waits for its slot and resources, is numbered, and is recorded. Between
/// attempts nothing is held.
struct AttemptModifier<Operation: OperationRequest>: OperationModifier where Operation.Value == OperationResult {
  let engine: RunEngine
  let ordinal: Int

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext, using operation: Operation,
    with continuation: OperationContinuation<OperationResult, any Error>
  ) async throws -> OperationResult {
    try await engine.beginAttempt(ordinal)
    let context = await engine.attemptContext(ordinal, context)
    let outcome: Result<OperationResult, any Error>
    do {
      outcome = .success(
        try await operation.run(
          isolation: isolation, in: context, with: continuation.narrowed(to: Operation.Failure.self)))
    } catch {
      outcome = .failure(error)
    }
    await engine.writeIfLarge(ordinal, outcome)
    if let error = await engine.endAttempt(ordinal, outcome) { throw error }
    return try outcome.get()
  }
}

/// Has what `until` asks files for read once the action has succeeded, outside of its retries and their deadline.
struct UntilModifier<Operation: OperationRequest>: OperationModifier where Operation.Value == OperationResult {
  let engine: RunEngine
  let ordinal: Int

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext, using operation: Operation,
    with continuation: OperationContinuation<OperationResult, any Error>
  ) async throws -> OperationResult {
    let result = try await operation.run(
      isolation: isolation, in: context, with: continuation.narrowed(to: Operation.Failure.self))
    try await engine.prepareUntil(ordinal, result)
    return result
  }
}
