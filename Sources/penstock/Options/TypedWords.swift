/// The words of a command line that is being typed, as a shell hands them over: with their quotes, the name of the program first.
struct TypedWords {
  /// The words of the command: `history show`.
  let command: [String]
  /// The value of `--workspace`.
  let workspace: String?
  /// The value of `--config`.
  let config: String?
  /// What is neither an option nor the value of one that this knows, without the word that is being completed.
  let arguments: [String]
  /// The word that is being completed, as far as it is there.
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
  /// Commands that have commands of their own.
  private static let groups: Set<String> = ["history", "schedule", "plugins"]

  /// - Parameters:
  ///   - words: All words of the line.
  ///   - index: The place of the one that is being completed.
  ///   - home: What `~` at the beginning of a word stands for.
  init(_ words: [String], at index: Int, home: String?) {
    current = words.indices.contains(index) ? Self.unquoted(words[index], home: nil) : ""
    var (command, arguments): ([String], [String]) = ([], [])
    var (workspace, config): (String?, String?)
    var place = 1
    while place < words.count {
      defer { place += 1 }
      let word = words[place]
      // A line in which the rest is behind the cursor is completed as if that were not there.
      guard place != index else { continue }
      if word.hasPrefix("-"), word != "-" {
        let name = String(word.prefix { $0 != "=" })
        var value: String?
        if name.count < word.count {
          value = String(word.dropFirst(name.count + 1))
        } else if Self.valued.contains(name), place + 1 < words.count, place + 1 != index {
          place += 1
          // bash takes the sign for a word.
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

  /// What a shell would make of a word without expanding anything in it but `~`.
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
