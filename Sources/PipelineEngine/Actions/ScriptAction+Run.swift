import PipelineLanguage

extension ScriptAction: RunnableAction {
  nonisolated(nonsending) func end(of handle: Void, _ ordinal: Int, of run: Run) async throws -> OperationResult {
    try await ProcessAttempt(run: run, ordinal: ordinal).perform()
  }

  func addInputs(
    _ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues
  ) {
    inputs.add("run", script)
    inputs.addReading(of: run.state.instances[ordinal].node)
  }

  var goesOnAcrossHosts: Bool { false }
  var startsJob: Bool { true }

  func arguments(shell: [String], in contexts: RunContexts) -> [String]? { shell + [script] }
}
