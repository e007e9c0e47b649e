import PipelineLanguage
import Values

extension ValueAction: RunnableAction {
  var goesOnAcrossHosts: Bool { false }
  var pace: ActionPace { .moment }

  func begin(_ ordinal: Int, of run: Run) throws -> AttemptBeginning<JSONValue> {
    let value = try data.evaluate(in: run.contexts(ordinal))
    return value.isLarge ? .running(value) : .ended(.value(try run.checkedValue(value, ordinal)))
  }

  /// Waits for the check of a large value, which takes longer than the event loop may be blocked. Other values have no such end.
  nonisolated(nonsending) func end(of value: JSONValue, _ ordinal: Int, of run: Run) async throws -> OperationResult {
    run.dropReadings(ordinal)
    return .value(try await run.checkedLargeValue(value, ordinal))
  }

  func addInputs(
    _ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues
  ) {}
}
