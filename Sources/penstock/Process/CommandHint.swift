import PipelineLanguage

/// Completes the commands that messages suggest: if this command was given a workspace, or the host whose workspace to use, so must they be.
enum CommandHint {
  /// ` --workspace DIR` or else ` --config FILE` as it was given to this command; empty if neither was.
  static let workspace = workspace(in: Arguments.words)

  /// Commands without a workspace.
  private static let others: Set<Substring> = [
    "check", "graph", "eval", "schema", "schedule", "plugins", "init", "list",
  ]

  /// Returns the same for a command of these words.
  static func workspace(in words: [String]) -> String {
    let options = words.prefix { $0 != "--" }
    for name in ["--workspace", "--config"] {
      for (index, word) in options.enumerated() {
        if word == name, index + 1 < words.count { return ShellText.option(name, words[index + 1]) }
        if word.hasPrefix("\(name)=") { return ShellText.option(name, String(word.dropFirst(name.count + 1))) }
      }
    }
    return ""
  }

  /// Returns a command to paste, such as `penstock explain 03kx9fab`, with the workspace.
  static func command(_ words: String, workspace: String = workspace) -> String {
    let name = words.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
    return words.contains("--workspace") || others.contains(name) ? words : words + workspace
  }

  /// Returns a message with the workspace in each command that it quotes: `` `penstock resume` ``.
  static func complete(_ message: String, workspace: String = workspace) -> String {
    guard !workspace.isEmpty, message.contains("`penstock ") else { return message }
    let parts = message.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
    let completed = parts.enumerated().map { index, part in
      let isQuoted = index % 2 == 1 && index + 1 < parts.count
      return isQuoted && part.hasPrefix("penstock ") ? command(part, workspace: workspace) : part
    }
    return completed.joined(separator: "`")
  }
}

extension TextOutput {
  /// Writes a message of this program, whose commands get the workspace that this command was given.
  func writeMessage(_ text: String) {
    writeLine(CommandHint.complete(text))
  }
}
