import PipelineLanguage

extension RunExplanation {
  /// Returns what the definition says about when an operation runs, a line each; empty if it says nothing, or is not known.
  func conditionLines(of name: String) -> [String] {
    guard let definition = pipeline?.operations.first(where: { $0.name == name }) else { return [] }
    var lines: [String] = []
    if let condition = definition.condition { lines.append("it runs only when \(condition.text)") }
    if let gate = definition.gateSummary { lines.append("it runs when \(gate)") }
    if let staleness = definition.stalenessSummary { lines.append("an earlier success is stale \(staleness)") }
    if let retry = definition.retrySummary { lines.append("failures are retried: \(retry)") }
    let names = definition.dependencies.compactMap { pipeline?.operations[$0].name }
    if !names.isEmpty { lines.append("it needs " + names.map { "'\($0)'" }.joined(separator: ", ")) }
    return lines
  }
}
