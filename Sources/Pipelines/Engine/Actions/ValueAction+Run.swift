extension ValueAction: RunnableAction {
  func perform(_ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    .value(try engine.checkedValue(data.evaluate(in: engine.contexts(ordinal)), ordinal))
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {}
}
