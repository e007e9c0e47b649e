import Values

/// How the engine runs one kind of action.
protocol RunnableAction: ActionKind {
  /// Does it once: one attempt of the operation, which has what it needs.
  func perform(_ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult
  /// Adds what it is given besides its templates to the operation's fingerprint: what files and plugins are now. A kind that is given nothing else says so.
  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs) throws
}

extension OperationDefinition.Action {
  /// The action as what runs: the list of all kinds.
  var runnable: any RunnableAction {
    switch self {
    case .run(let script): ScriptAction(script: script)
    case .command(let arguments): CommandAction(arguments: arguments)
    case .http(let action): action
    case .uses(let use): use
    case .value(let data): ValueAction(data: data)
    case .wait(let wait): wait
    case .pipeline(let path, let parameters): NestedPipelineAction(path: path, parameters: parameters)
    case .approve(let message): ApprovalAction(message: message)
    }
  }
}

extension RunEngine {
  /// Performs the action of an operation once.
  func perform(_ ordinal: Int) async throws -> OperationResult {
    try await state.instances[ordinal].node.definition.action.runnable.perform(ordinal, in: self)
  }
}
