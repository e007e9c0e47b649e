/// The words of a command line being typed, as a shell passes them: unexpanded, with quotes, the name of the program first.
struct TypedWords {
  /// The names of the command and its subcommand: `history show`.
  let command: [String]
  /// The value of `--workspace`.
  let workspace: String?
  /// The value of `--config`.
  let config: String?
  /// The words that are neither options nor values of known options, except the word being completed.
  let arguments: [String]
  /// The word being completed, as typed so far.
  let current: String

  /// Options whose values are not arguments.
  private static let valued: Set<String> = [
    "--workspace", "--color", "-p", "--param", "--params", "--label", "--from", "--only", "--at", "--output",
    "--result",
    "--plugin",
    "--attempt",
    "--pipeline", "--state", "--operation", "--since", "--until", "--where", "--limit", "--note", "-n", "--tail",
    "--priority", "--reason", "--older-than", "--keep", "--for", "--config",
  ]
  /// Commands that have subcommands.
  private static let groups: Set<String> = ["history", "schedule", "plugins"]

  /// - Parameters:
  ///   - words: All words of the line.
  ///   - index: The position of the word being completed.
  ///   - home: The value of `~` at the start of a word.
  init(_ words: [String], at index: Int, home: String?) {
    current = words.indices.contains(index) ? Self.unquoted(words[index], home: nil) : ""
    var (command, arguments): ([String], [String]) = ([], [])
    var (workspace, config): (String?, String?)
    var place = 1
    while place < words.count {
      defer { place += 1 }
      let word = words[place]
      // Text directly behind the cursor is ignored.
      guard place != index else { continue }
      if word.hasPrefix("-"), word != "-" {
        let name = String(word.prefix { $0 != "=" })
        var value: String?
        if name.count < word.count {
          value = String(word.dropFirst(name.count + 1))
        } else if Self.valued.contains(name), place + 1 < words.count, place + 1 != index {
          place += 1
          // bash splits off the equals sign as a word.
          if words[place] == "=", place + 1 < words.count { place += 1 }
          value = words[place]
        }
        if name == "--workspace", let value { workspace = Self.unquoted(value, home: home) }
        if name == "--config", let value { config = Self.unquoted(value, home: home) }
        continue
      }
      let isCommand = command.isEmpty || command.count == 1 && Self.groups.contains(command[0])
      if isCommand { command.append(word) } else { arguments.append(Self.unquoted(word, home: home)) }
    }
    (self.command, self.arguments, self.workspace, self.config) = (command, arguments, workspace, config)
  }

  /// Returns a word without its quotes, as a shell would, expanding only `~`.
  static func unquoted(_ word: String, home: String?) -> String {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { text.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    guard let home, word == "~" || word.hasPrefix("~/") else { return text }
    return home + text.dropFirst()
  }
}
