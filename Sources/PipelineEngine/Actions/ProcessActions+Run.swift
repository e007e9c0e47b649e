import PipelineLanguage

extension ScriptAction: RunnableAction {
  func end(of handle: Void, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.performProcess(ordinal)
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {
    inputs.add("run", script)
    engine.addReading(of: ordinal, to: &inputs)
  }

  var goesOnAcrossHosts: Bool { false }

  func arguments(shell: [String], in contexts: RunContexts) -> [String]? { shell + [script] }
}

extension CommandAction: RunnableAction {
  func end(of handle: Void, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.performProcess(ordinal)
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {
    engine.addReading(of: ordinal, to: &inputs)
  }

  var goesOnAcrossHosts: Bool { false }

  func arguments(shell: [String], in contexts: RunContexts) throws -> [String]? {
    try arguments.map { template in
      let text = try template.evaluate(in: contexts).injectedText
      guard !text.utf8.contains(0) else {
        throw OperationFailure(
          code: "nul-character",
          message: "an argument contains a NUL character, which no process can be given; use standard input")
      }
      return text
    }
  }
}

extension RunEngine {
  /// Marks a result that nobody declared as read by the present rule: before, `1.10` was the number 1.1.
  fileprivate func addReading(of ordinal: Int, to inputs: inout FingerprintInputs) {
    if state.instances[ordinal].node.definition.result == nil { inputs.add("result", "text") }
  }
}
