import Values

/// The action `run`: a script for the shell, which contains no expressions.
package struct ScriptAction: ActionKind {
  package let script: String

  package init(script: String) {
    self.script = script
  }

  package var key: ActionKey { .run }
  package var isWork: Bool { true }
  package var secretReach: SecretReach { .environment }

  package var summary: String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: true).filter { !$0.allSatisfy(\.isWhitespace) }
    let first = lines.first.map { TerminalText.oneLine(String($0)) } ?? ""
    return lines.count > 1 ? "\(first) … (\(lines.count) lines)" : first
  }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {}
  package func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType { declared ?? .json }
}

extension ScriptAction: CheckableAction {
  static var rows: [KeyRow] {
    [
      KeyRow("run", .script, "A script for the shell; pass values to it with `inject` and `env`.")
    ]
  }

  static var tables: [KeySection] { [] }

  static var takes: Set<OperationKey> {
    [
      .inject, .requires, .result, .retry, .repeat, .grace, .env, .envFile, .directory, .shell, .stdin, .artifacts,
      .executor,
      .staleAfter,
      .staleWhen,
    ]
  }

  static var share: DefaultsShare { .process }
  static var takesRequirementAsData: Bool { false }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    reader.readScript(node, into: draft)
  }

  static func finish(_ draft: OperationDraft, _ node: YAMLNode, by reader: DocumentReader) {
    reader.checkShebang(of: draft, node)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType {
    operation.definition.result ?? .json
  }

  static var undeclaredResult: UndeclaredResult { .printed }

  static func reasonForNoResult(of operation: OperationDraft) -> String? { nil }
}

extension DocumentReader {
  fileprivate func readScript(_ node: YAMLNode, into draft: OperationDraft) {
    guard let script = text(node, "'run'") else { return }
    draft.definition.action = .run(script: script)
    if let offset = Self.expressionOffset(in: script) {
      let expression = String(script.unicodeScalars.dropFirst(offset))
      let length = expression.split(separator: "}}", maxSplits: 1).first.map { $0.unicodeScalars.count + 2 } ?? 3
      error(
        .expressionInScript, "a script cannot contain an expression: its value would become program text",
        at: range(in: node, offset: offset, length: length),
        fix: #"use inject: or env:, and read it as "$name""#)
    }
    if script.utf8.contains(0) {
      error(.wrongForm, "'run' cannot contain a NUL character", at: node.range)
    }
  }

  /// Reports a shebang line that names an interpreter other than the shell, because it would have no effect.
  fileprivate func checkShebang(of draft: OperationDraft, _ node: YAMLNode) {
    guard case .run(let script) = draft.definition.action, script.hasPrefix("#!"), let text = node["run"] else {
      return
    }
    let line = script.prefix { !$0.isNewline }
    var words = line.dropFirst(2).split { $0 == " " || $0 == "\t" }.map(String.init)
    if let first = words.first, Interpreter.baseName(of: first) == "env" {
      words.removeFirst()
      if words.first == "-S" { words.removeFirst() }
      while let word = words.first, Interpreter.isAssignment(word) { words.removeFirst() }
    }
    let shell = draft.definition.shell
    guard let program = words.first, !Self.runs(shell, words) else { return }
    let fix: String
    if let option = Interpreter.named(program)?.option {
      fix = "write 'shell: [\((words + [option]).joined(separator: ", "))]'"
    } else {
      fix = "remove the line, or put the script into a file and run it with 'command'"
    }
    error(
      .shebang, "the first line names '\(program)', but '\(shell[0])' runs the script",
      at: range(in: text, offset: 0, length: line.unicodeScalars.count), fix: fix)
  }

  /// Returns whether a shell matches the words of a shebang, including their options.
  private static func runs(_ shell: [String], _ words: [String]) -> Bool {
    guard let start = Interpreter.programPlace(in: shell),
      Interpreter.baseName(of: shell[start]) == Interpreter.baseName(of: words[0])
    else { return false }
    let letters = shell[start...].filter { $0.hasPrefix("-") }.joined()
    return words.dropFirst().allSatisfy { word in
      shell.contains(word) || word.hasPrefix("-") && !word.hasPrefix("--") && word.allSatisfy(letters.contains)
    }
  }
}
