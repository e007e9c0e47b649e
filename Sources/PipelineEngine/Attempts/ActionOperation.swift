import Operations

/// An operation's action as a request of the `Operations` library, so that the library's modifiers apply to it as to any other.
struct ActionOperation: OperationRequest {
  typealias Value = OperationResult
  typealias Failure = any Error

  let run: LoopBound<Run>
  let ordinal: Int

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<OperationResult, any Error>
  ) async throws -> OperationResult {
    try await self.run.value.state.instances[ordinal].node.action.perform(ordinal, of: self.run.value)
  }
}

/// Makes each execution of the action an attempt: it waits for its slot and resources, is numbered, and is recorded. Between attempts nothing is held.
struct AttemptModifier<Operation: OperationRequest>: OperationModifier where Operation.Value == OperationResult {
  let run: LoopBound<Run>
  let ordinal: Int

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext, using operation: Operation,
    with continuation: OperationContinuation<OperationResult, any Error>
  ) async throws -> OperationResult {
    let run = self.run.value
    let action = run.state.instances[ordinal].node.action
    return try await Attempt(run: run, ordinal: ordinal).perform {
      try await operation.run(
        isolation: isolation, in: action.attemptContext(context, ordinal, of: run),
        with: continuation.narrowed(to: Operation.Failure.self))
    }
  }
}

/// Reads what `until` uses from files once the action has succeeded, outside its retries and their deadline.
struct UntilModifier<Operation: OperationRequest>: OperationModifier where Operation.Value == OperationResult {
  let run: LoopBound<Run>
  let ordinal: Int

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext, using operation: Operation,
    with continuation: OperationContinuation<OperationResult, any Error>
  ) async throws -> OperationResult {
    let result = try await operation.run(
      isolation: isolation, in: context, with: continuation.narrowed(to: Operation.Failure.self))
    try await self.run.value.prepareUntil(ordinal, result)
    return result
  }
}
