import Expressions

/// `run`: a script for the shell, which never holds an expression.
package struct ScriptAction: ActionKind {
  package let script: String

  package init(script: String) {
    self.script = script
  }

  package var keyword: String { "run" }
  package var isWork: Bool { true }
  package var secretReach: SecretReach { .environment }

  package var summary: String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: true).filter { !$0.allSatisfy(\.isWhitespace) }
    let first = lines.first.map { TerminalText.oneLine(String($0)) } ?? ""
    return lines.count > 1 ? "\(first) … (\(lines.count) lines)" : first
  }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {}
}

/// `command`: an argument list without a shell; each template yields exactly one argument.
package struct CommandAction: ActionKind {
  package let arguments: [Template]

  package init(arguments: [Template]) {
    self.arguments = arguments
  }

  package var keyword: String { "command" }
  package var isWork: Bool { true }
  package var secretReach: SecretReach { .environment }
  package var summary: String { arguments.map(\.text).map(Self.shown).joined(separator: " ") }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for (place, argument) in arguments.enumerated() { try body(.argument(place), .template(argument)) }
  }

  private static func shown(_ text: String) -> String {
    let shown = TerminalText.visible(text)
    let needsQuotes = shown.isEmpty || shown.contains { " \"'\t$".contains($0) }
    return needsQuotes && !shown.hasPrefix("${{") ? "'\(shown)'" : shown
  }
}
