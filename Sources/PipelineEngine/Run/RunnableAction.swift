import PipelineLanguage
import Values

/// How the engine runs one kind of action. An attempt of any kind begins, and has either ended by that or goes on until its end is there.
protocol RunnableAction: ActionKind {
  /// What the end of an attempt that goes on is known by. `Never` where none does.
  associatedtype Handle: Sendable

  /// Begins an attempt of the operation, which has what it needs.
  func begin(_ ordinal: Int, in engine: isolated RunEngine) throws -> AttemptBeginning<Handle>
  /// Waits for the end of an attempt that goes on. Cancelling the task asks it to end.
  ///
  /// Whichever of the two has evaluated the templates calls ``RunEngine/dropReadings(_:)`` before it waits for anything: other operations of the run may
  /// be waiting to read.
  func end(of handle: Handle, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult
  /// Adds what it is given besides its templates to the operation's fingerprint: what files and plugins are now. A kind that is given nothing else says so.
  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs) throws
}

/// What came of beginning an attempt.
enum AttemptBeginning<Handle: Sendable>: Sendable {
  /// It has ended with this result.
  case ended(OperationResult)
  /// It goes on, or does all it does while its end is waited for.
  case running(Handle)
}

extension RunnableAction where Handle == Void {
  // All that such an action does may have to wait for something.
  func begin(_ ordinal: Int, in engine: isolated RunEngine) throws -> AttemptBeginning<Void> { .running(()) }
}

extension RunnableAction where Handle == Never {
  func end(of handle: Never, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {}
}

extension RunnableAction {
  /// One attempt, from its beginning to its end.
  func perform(_ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    switch try begin(ordinal, in: engine) {
    case .ended(let result): return result
    case .running(let handle): return try await end(of: handle, ordinal, in: engine)
    }
  }
}

extension RunEngine {
  /// Performs the action of an operation once.
  func perform(_ ordinal: Int) async throws -> OperationResult {
    try await state.instances[ordinal].node.action.perform(ordinal, in: self)
  }
}
