import PipelineLanguage

extension CommandAction: RunnableAction {
  nonisolated(nonsending) func end(of handle: Void, _ ordinal: Int, of run: Run) async throws -> OperationResult {
    try await ProcessAttempt(run: run, ordinal: ordinal).perform()
  }

  func addInputs(
    _ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues
  ) {
    inputs.addReading(of: run.state.instances[ordinal].node)
  }

  var goesOnAcrossHosts: Bool { false }
  var startsJob: Bool { true }

  func arguments(shell: [String], in contexts: RunContexts) throws -> [String]? {
    try arguments.map { template in
      let text = try template.evaluate(in: contexts).injectedText
      guard !text.utf8.contains(0) else {
        throw OperationFailure(
          code: "nul-character",
          message: "an argument contains a NUL character, which cannot be passed to a process; use standard input")
      }
      return text
    }
  }
}
