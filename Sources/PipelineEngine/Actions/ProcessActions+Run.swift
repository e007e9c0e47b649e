import PipelineLanguage

extension ScriptAction: RunnableAction {
  func end(of handle: Void, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.performProcess(ordinal)
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {
    inputs.add("run", script)
  }
}

extension CommandAction: RunnableAction {
  func end(of handle: Void, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.performProcess(ordinal)
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {}
}
