extension ScriptAction: RunnableAction {
  func perform(_ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.performProcess(ordinal)
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {
    inputs.add("run", script)
  }
}

extension CommandAction: RunnableAction {
  func perform(_ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.performProcess(ordinal)
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {}
}
