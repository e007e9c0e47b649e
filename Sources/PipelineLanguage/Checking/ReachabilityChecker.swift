import Expressions
import Operations
import Values

extension PipelineChecker {
  /// Warns of operations that can never run; `order` lists each operation after its dependencies.
  func checkReachability(in order: [Int]) {
    forEachDraft { operation in
      if checkCondition(of: operation) { operation.neverRuns = true }
    }
    checkRequirements(in: order)
  }

  /// Returns whether the operation's own condition is never true, which it reports.
  private func checkCondition(of operation: OperationDraft) -> Bool {
    guard let condition = operation.definition.condition, let range = operation.conditionRange, condition.isSound
    else { return false }
    if !condition.usesStatusFunction, condition.references.isEmpty {
      guard let runs = try? condition.isTruthy(in: NoContexts()), !runs else { return false }
      reader.warning(.neverRuns, "\(operation.title) never runs: its 'when' is always false", at: range)
      return true
    }
    guard operation.definition.dependencies.isEmpty, operation.event == nil else { return false }
    switch condition.bareCall {
    case "failure":
      reader.warning(
        .neverRuns, "\(operation.title) never runs: it depends on nothing that could fail",
        at: range, fix: "add 'needs', or make it a handler under 'after: {failure: …}'")
    case "cancelled":
      reader.warning(
        .neverRuns,
        "\(operation.title) never runs: it has no dependencies, so its 'when' is evaluated when the run begins, before anything can be cancelled",
        at: range, fix: "add 'needs', or make it a handler under 'after: {cancel: …}'")
    default: return false
    }
    return true
  }

  /// Warns of operations that need one that never runs, according to ``InjectionTable``: they can only run with a default, or with a condition that is
  /// evaluated anyway.
  private func checkRequirements(in order: [Int]) {
    // For each operation that never runs because of another, the original cause.
    var origins: [Int: String] = [:]
    for index in order where !draft.operations[index].neverRuns {
      let operation = draft.operations[index]
      let candidates = operation.definition.dependencies.filter { draft.operations[$0].neverRuns }
      guard !candidates.isEmpty else { continue }
      let required = operation.definition.requiredResults
      let defaulted = operation.definition.resultsWithDefault
      // An operation that never runs cannot fail either.
      let isAsked =
        operation.definition.isAskedAnyway
        && (operation.definition.condition?.bareCall != "failure"
          || candidates.count < operation.definition.dependencies.count)
      let needed = candidates.first { candidate in
        let hasDefault = defaulted.contains(draft.operations[candidate].definition.name.lowercased())
        return !InjectionTable.decide(
          .skipped,
          InjectionRequest(
            needsResult: required.contains(candidate), hasDefault: hasDefault && !required.contains(candidate),
            decidesItself: isAsked)
        ).runs
      }
      guard let needed else { continue }
      let name = draft.operations[needed].definition.name
      operation.neverRuns = true
      origins[index] = origins[needed] ?? name
      let place = references[index].first { $0.target == needed && $0.place != nil }?.place
      reader.warning(
        .neverRuns,
        "\(operation.title) never runs: it needs '\(name)', which never runs\(origins[needed].map { " because of '\($0)'" } ?? "")",
        at: place.map(range(of:)) ?? operation.nameRange)
    }
  }
}

extension Expression {
  /// The lowercase name of the status function if the expression is only a call of one; otherwise nil.
  fileprivate var bareCall: String? {
    let text = text.lowercased().filter { !$0.isWhitespace }
    return text.hasSuffix("()") && functionNames == [String(text.dropLast(2))] ? String(text.dropLast(2)) : nil
  }
}

/// Contexts for expressions without references.
private struct NoContexts: ExpressionContexts {
  func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue? { nil }
  func whole(_ context: String) throws(ExpressionError) -> JSONValue? { nil }
  var status: ExpressionStatus { ExpressionStatus() }

  func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String {
    throw ExpressionError(.noFiles, "files are not read when a pipeline is loaded")
  }
}
