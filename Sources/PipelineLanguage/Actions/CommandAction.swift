import Expressions
import Values

/// The action `command`: an argument list without a shell, in which each template yields exactly one argument.
package struct CommandAction: ActionKind {
  package let arguments: [Template]

  package init(arguments: [Template]) {
    self.arguments = arguments
  }

  package var key: ActionKey { .command }
  package var isWork: Bool { true }
  package var secretReach: SecretReach { .environment }
  package var summary: String { arguments.map(\.text).map(Self.shown).joined(separator: " ") }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for (place, argument) in arguments.enumerated() { try body(.argument(place), .template(argument)) }
  }

  package func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType { declared ?? .json }

  private static func shown(_ text: String) -> String {
    let shown = TerminalText.visible(text)
    let needsQuotes = shown.isEmpty || shown.contains { " \"'\t$".contains($0) }
    return needsQuotes && !shown.hasPrefix("${{") ? "'\(shown)'" : shown
  }
}

extension CommandAction: CheckableAction {
  /// The site of the expressions in an argument.
  fileprivate static let argument = ExpressionSite.Use.action(
    ExpressionSite.ActionPlace(key: .command, visibility: .arguments, seesOwnVariables: true))

  static var rows: [KeyRow] {
    [
      KeyRow("command", .list(.template, minimum: 1), "A program and its arguments, run without a shell.")
    ]
  }

  static var tables: [KeySection] { [] }

  static var takes: Set<OperationKey> {
    [
      .inject, .requires, .result, .retry, .repeat, .grace, .env, .envFile, .directory, .stdin, .artifacts, .executor,
      .staleAfter,
      .staleWhen,
    ]
  }

  static var share: DefaultsShare { .process }
  static var takesRequirementAsData: Bool { false }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    reader.readCommand(node, into: draft)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType {
    operation.definition.result ?? .json
  }

  static var undeclaredResult: UndeclaredResult { .printed }

  static func reasonForNoResult(of operation: OperationDraft) -> String? { nil }
}

extension DocumentReader {
  fileprivate func readCommand(_ node: YAMLNode, into draft: OperationDraft) {
    guard let items = node.items else {
      return wrongForm(
        node, "'command'", needs: "a list of arguments",
        fix: node.text == nil ? nil : "write a list such as [ls, -l], or use 'run' for a shell")
    }
    guard let program = items.first else { return wrongForm(node, "'command'", needs: "at least a program") }
    if program.text == "" { wrongForm(program, "'command'", needs: "the name of a program first") }
    let use = Interpreter.use(in: items.map { $0.text ?? "" })
    var arguments: [Template] = []
    for (place, item) in items.enumerated() {
      let firstSite = draft.sites.count
      guard let argument = template(item, "an argument", CommandAction.argument, into: &draft.sites) else { continue }
      arguments.append(argument)
      if let use, use.places.contains(place), draft.sites.count > firstSite { draft.sites[firstSite].interpreter = use }
    }
    draft.definition.action = .command(arguments)
  }
}
