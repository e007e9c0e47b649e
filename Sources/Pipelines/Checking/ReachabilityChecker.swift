import Values

extension PipelineChecker {
  /// Warns of operations that cannot run in any run.
  func checkReachability() {
    forEachDraft { operation in
      guard let condition = operation.definition.condition, let range = operation.conditionRange,
        condition.isSound
      else { return }
      if !condition.usesStatusFunction, condition.references.isEmpty {
        guard let runs = try? condition.isTruthy(in: NoContexts()), !runs else { return }
        reader.warning("never-runs", "\(operation.title) never runs: its 'when' is always false", at: range)
        return
      }
      let bare = condition.text.lowercased().filter { !$0.isWhitespace }
      guard bare == "failure()", operation.definition.dependencies.isEmpty, operation.event == nil else { return }
      reader.warning(
        "never-runs", "\(operation.title) never runs: nothing that it depends on can fail, as it depends on nothing",
        at: range, fix: "add 'needs', or make it a handler under 'after: {failure: …}'")
    }
  }
}

/// Contexts for expressions that name none.
private struct NoContexts: ExpressionContexts {
  func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue? { nil }
  func whole(_ context: String) throws(ExpressionError) -> JSONValue? { nil }
  var status: ExpressionStatus { ExpressionStatus() }

  func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String {
    throw ExpressionError(code: "unknown", "files are not read when a pipeline is loaded")
  }
}
