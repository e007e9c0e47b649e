import Expressions
import Operations
import Values

extension PipelineChecker {
  /// Warns of operations that cannot run in any run; `order` has each operation after its dependencies.
  func checkReachability(in order: [Int]) {
    forEachDraft { operation in
      if checkCondition(of: operation) { operation.neverRuns = true }
    }
    checkRequirements(in: order)
  }

  /// Whether the operation's own condition is never true, which is reported.
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
        .neverRuns, "\(operation.title) never runs: nothing that it depends on can fail, as it depends on nothing",
        at: range, fix: "add 'needs', or make it a handler under 'after: {failure: …}'")
    case "cancelled":
      reader.warning(
        .neverRuns,
        "\(operation.title) never runs: it depends on nothing, so it is asked when the run begins, before anything can be cancelled",
        at: range, fix: "add 'needs', or make it a handler under 'after: {cancel: …}'")
    default: return false
    }
    return true
  }

  /// Warns of operations that need one that never runs, as ``InjectionTable`` has it: nothing but a default lets them run without it,
  /// or a condition that is asked anyway.
  private func checkRequirements(in order: [Int]) {
    // Where each one that never runs because of another gets it from in the end.
    var origins: [Int: String] = [:]
    for index in order where !draft.operations[index].neverRuns {
      let operation = draft.operations[index]
      let candidates = operation.definition.dependencies.filter { draft.operations[$0].neverRuns }
      guard !candidates.isEmpty else { continue }
      let required = operation.definition.requiredResults
      let defaulted = operation.definition.resultsWithDefault
      // What never runs cannot fail either.
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
  /// The status function, in lower case, that the expression is a call of and nothing else; nil for any other.
  fileprivate var bareCall: String? {
    let text = text.lowercased().filter { !$0.isWhitespace }
    return text.hasSuffix("()") && functionNames == [String(text.dropLast(2))] ? String(text.dropLast(2)) : nil
  }
}

/// Contexts for expressions that name none.
private struct NoContexts: ExpressionContexts {
  func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue? { nil }
  func whole(_ context: String) throws(ExpressionError) -> JSONValue? { nil }
  var status: ExpressionStatus { ExpressionStatus() }

  func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String {
    throw ExpressionError(.noFiles, "files are not read when a pipeline is loaded")
  }
}
