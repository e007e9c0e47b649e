import Values

extension OperationDefinition {
  /// Describes how failures are retried: `up to 5 retries, exponential from 200ms to 30s, full jitter`; nil if they are not.
  package var retrySummary: String? {
    guard retry.limit > 0 else { return nil }
    var text = retry.limit == 1 ? "up to 1 retry" : "up to \(retry.limit) retries"
    let base = DurationNotation.format(retry.base)
    text += retry.backoff == .constant ? ", every \(base)" : ", \(retry.backoff.rawValue) from \(base)"
    if retry.backoff != .constant { text += " to \(DurationNotation.format(retry.maximum))" }
    if retry.jitter != .none { text += ", \(retry.jitter.rawValue) jitter" }
    if let deadline = retry.deadline { text += ", within \(DurationNotation.format(deadline))" }
    if !retry.on.isEmpty { text += ", on " + retry.on.map(\.summary).joined(separator: ", ") }
    if !retry.early.isEmpty {
      text += ", at once when " + retry.early.map { TerminalText.oneLine($0.text) }.joined(separator: " or ")
    }
    return text
  }

  /// Describes the operation's gate: `connected, else it is skipped after 5m`; nil if it has none.
  package var gateSummary: String? {
    guard let gate else { return nil }
    let formula = TerminalText.oneLine(gate.formula.text)
    let limit = gate.waitAtMost.map(DurationNotation.format)
    switch (gate.otherwise, limit) {
    case (.wait, nil): return formula
    case (.wait, let limit?), (.fail, let limit?): return "\(formula), else it fails after \(limit)"
    case (.fail, nil): return "\(formula), else it fails"
    case (.skip, let limit?): return "\(formula), else it is skipped after \(limit)"
    case (.skip, nil): return "\(formula), else it is skipped"
    }
  }

  /// Describes when an earlier success is stale: `after 1h, or when changed(in.txt)`; nil if none is reused.
  package var stalenessSummary: String? {
    let parts =
      [staleAfter.map { "after \(DurationNotation.format($0))" }]
      + [staleWhen.map { "when \(TerminalText.oneLine($0.text))" }]
    let said = parts.compactMap { $0 }
    return said.isEmpty ? nil : said.joined(separator: ", or ")
  }
}

extension OperationDefinition.Retry.Cause {
  fileprivate var summary: String {
    switch self {
    case .status(let status): "status \(status)"
    case .exitCode(let code): "exit code \(code)"
    case .signal(let name): name
    case .timeout: "timeout"
    case .error(let code): code
    }
  }
}
