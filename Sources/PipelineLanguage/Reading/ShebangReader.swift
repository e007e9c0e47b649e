extension DocumentReader {
  /// Reports a first line of a script that names another interpreter than the shell: nothing would obey it.
  func checkShebang(of draft: OperationDraft, _ node: YAMLNode) {
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

  /// Whether a shell is what the words of a shebang name, with the same options.
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
