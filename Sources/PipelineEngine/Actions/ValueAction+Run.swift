import PipelineLanguage

extension ValueAction: RunnableAction {
  var goesOnAcrossHosts: Bool { false }
  var pace: ActionPace { .moment }

  func begin(_ ordinal: Int, of run: Run) throws -> AttemptBeginning<Never> {
    .ended(.value(try run.checkedValue(data.evaluate(in: run.contexts(ordinal)), ordinal)))
  }

  func addInputs(_ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintInputs) {}
}
