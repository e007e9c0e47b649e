import PipelineLanguage

extension ValueAction: RunnableAction {
  typealias Handle = Never

  func begin(_ ordinal: Int, in engine: isolated RunEngine) throws -> AttemptBeginning<Never> {
    .ended(try result(of: ordinal, in: engine))
  }

  /// Computes it.
  func result(of ordinal: Int, in engine: isolated RunEngine) throws -> OperationResult {
    .value(try engine.checkedValue(data.evaluate(in: engine.contexts(ordinal)), ordinal))
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {}

  var goesOnAcrossHosts: Bool { false }
  var atOnce: OperationNode.AtOnce.Kind? { .value(self) }
}
