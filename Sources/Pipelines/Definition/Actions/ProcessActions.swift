/// `run`: a script for the shell, which never holds an expression.
struct ScriptAction: ActionKind {
  let script: String

  var keyword: String { "run" }
  var isWork: Bool { true }
  var secretReach: SecretReach { .environment }

  var summary: String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: true).filter { !$0.allSatisfy(\.isWhitespace) }
    let first = lines.first.map { TerminalText.oneLine(String($0)) } ?? ""
    return lines.count > 1 ? "\(first) … (\(lines.count) lines)" : first
  }

  func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {}
}

/// `command`: an argument list without a shell; each template yields exactly one argument.
struct CommandAction: ActionKind {
  let arguments: [Template]

  var keyword: String { "command" }
  var isWork: Bool { true }
  var secretReach: SecretReach { .environment }
  var summary: String { arguments.map(\.text).map(Self.shown).joined(separator: " ") }

  func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for (place, argument) in arguments.enumerated() { try body(.argument(place), .template(argument)) }
  }

  private static func shown(_ text: String) -> String {
    let shown = TerminalText.visible(text)
    let needsQuotes = shown.isEmpty || shown.contains { " \"'\t$".contains($0) }
    return needsQuotes && !shown.hasPrefix("${{") ? "'\(shown)'" : shown
  }
}
