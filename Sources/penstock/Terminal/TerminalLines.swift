import PipelineLanguage

/// Formats text of several lines, escaping control characters line by line.
enum TerminalLines {
  static func visible(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { TerminalText.visible(String($0)) }
      .joined(separator: "\n")
  }

  /// Returns a command about an operation of a run on as many lines as it needs, so that it can be pasted. It is broken before arguments; a name that is
  /// too long is truncated.
  static func command(_ command: String, width: Int) -> [String] {
    let command = TerminalText.visible(command)
    guard TerminalText.width(of: command) > width else { return [command] }
    var lines = [""]
    for word in command.split(separator: " ", maxSplits: 3) {
      let line = lines[lines.count - 1]
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      if line.isEmpty || TerminalText.width(of: longer) + 2 <= width {
        lines[lines.count - 1] = longer
      } else {
        lines[lines.count - 1] += " \\"
        lines.append("  \(word)")
      }
    }
    return lines.map { TerminalText.fitted($0, width: width) }
  }

  /// Returns a line of prose, wrapped between words for the width of the terminal; following lines are indented. A longer word is not broken, so that
  /// it can be pasted. `text` must be visible text; colors of ``Style`` have no width. A nil width means no terminal and no wrapping.
  static func wrapped(_ text: String, width: Int?, indentation: Int = 0) -> String {
    // No character has more columns than UTF-8 bytes, so most lines need no measuring.
    guard let width, text.utf8.count > width else { return text }
    var wrapped = ""
    var columns = 0
    var gap = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      defer { gap += 1 }
      guard !word.isEmpty else { continue }
      let room = TerminalText.width(of: uncoloured(word))
      if columns + gap + room > width, columns > indentation {
        wrapped += "\n" + String(repeating: " ", count: indentation)
        columns = indentation
      } else {
        wrapped += String(repeating: " ", count: gap)
        columns += gap
      }
      wrapped += word
      columns += room
      gap = 0
    }
    return wrapped
  }

  private static func uncoloured(_ word: Substring) -> String {
    guard word.utf8.contains(0x1B) else { return String(word) }
    var text = String.UnicodeScalarView()
    var isColour = false
    for scalar in word.unicodeScalars {
      if scalar == "\u{1B}" { isColour = true }
      if !isColour { text.append(scalar) }
      if scalar == "m" { isColour = false }
    }
    return String(text)
  }
}
