extension TerminalText {
  /// `text` in at most `width` columns, cut with `…` where it is longer. `text` must be visible text without colours.
  package static func fitted(_ text: String, width: Int) -> String {
    // A character takes two columns at most, so that most texts need no counting.
    guard text.utf8.count > width, self.width(of: text) > width else { return text }
    guard width > 0 else { return "" }
    var used = 0
    var end = text.unicodeScalars.startIndex
    while end < text.unicodeScalars.endIndex {
      let next = self.width(of: text.unicodeScalars[end])
      guard used + next <= width - 1 else { break }
      used += next
      end = text.unicodeScalars.index(after: end)
    }
    return String(text.unicodeScalars[..<end]) + "…"
  }

  /// The end of `text` in at most `width` columns, with `…` before it where there is more. `text` must be visible text without colours.
  package static func fittedEnd(_ text: String, width: Int) -> String {
    guard text.utf8.count > width, self.width(of: text) > width else { return text }
    guard width > 0 else { return "" }
    var used = 0
    var start = text.unicodeScalars.endIndex
    while start > text.unicodeScalars.startIndex {
      let former = text.unicodeScalars.index(before: start)
      let next = self.width(of: text.unicodeScalars[former])
      guard used + next <= width - 1 else { break }
      used += next
      start = former
    }
    return "…" + String(text.unicodeScalars[start...])
  }

  /// `text` on one line: line breaks and stretches of blanks become one blank, everything else that acts on a terminal is shown.
  package static func oneLine(_ text: String) -> String {
    var line = ""
    var isBlank = false
    for scalar in text.unicodeScalars {
      if scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" {
        isBlank = true
        continue
      }
      if isBlank, !line.isEmpty { line += " " }
      isBlank = false
      line += visible(scalar)
    }
    return line
  }

  /// The columns that the label of an item takes at most, where nothing else bounds it.
  package static let longestLabel = 40

  /// The name of an operation, or of an item with what it is called behind its number: `convert[136] orders-0137.csv`.
  package static func name(_ name: String, label: String?) -> String {
    visible(name) + (label.map { " " + self.label($0) } ?? "")
  }

  /// The label of an item on one line, in at most `width` columns. Of a path the end is kept, as the last component says most.
  package static func label(_ label: String, width: Int = longestLabel) -> String {
    let line = oneLine(label)
    return line.contains("/") ? fittedEnd(line, width: width) : fitted(line, width: width)
  }
}
