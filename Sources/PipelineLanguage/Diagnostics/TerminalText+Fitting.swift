extension TerminalText {
  /// Returns `text` in at most `width` columns, cut with `…` if it is longer. `text` must be escaped and without colours.
  package static func fitted(_ text: String, width: Int) -> String {
    // A character takes two columns at most, so most texts need no counting.
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

  /// Returns the end of `text` in at most `width` columns, preceded by `…` if it is longer. `text` must be escaped and without colours.
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

  /// Returns `text` on one line: line breaks and runs of blanks become one blank, and other control characters are escaped.
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

  /// Returns `text` in lines of at most `width` columns, broken between words. Existing line breaks are kept, without blanks beside them. Control characters
  /// are escaped.
  package static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for paragraph in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      var words = String.UnicodeScalarView()
      for scalar in paragraph where scalar != "\r" { words.append(scalar == "\t" ? " " : scalar) }
      wrap(visible(String(words)), width: max(2, width), to: &lines)
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private static func wrap(_ paragraph: String, width: Int, to lines: inout [String]) {
    var line = String.UnicodeScalarView()
    var columns = 0
    /// The best position for a line break: after the last blank, with the number of columns before it.
    var blank: (end: Int, columns: Int)?
    for scalar in paragraph.unicodeScalars {
      let next = self.width(of: scalar)
      if columns + next > width {
        if scalar == " " {
          lines.append(withoutBlanks(line))
          (line, columns, blank) = (.init(), 0, nil)
          continue
        }
        let end = blank?.end ?? line.count
        lines.append(withoutBlanks(.init(line.prefix(end))))
        line = .init(line.dropFirst(end))
        columns -= blank?.columns ?? columns
        blank = nil
      }
      line.append(scalar)
      columns += next
      if scalar == " " { blank = (line.count, columns) }
    }
    lines.append(withoutBlanks(line))
  }

  private static func withoutBlanks(_ line: String.UnicodeScalarView) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return String(line)
  }

  /// The default maximum width of an item's label, in columns.
  package static let longestLabel = 40

  /// Returns the name of an operation or item, followed by the item's label: `convert[136] orders-0137.csv`.
  package static func name(_ name: String, label: String?) -> String {
    visible(name) + (label.map { " " + self.label($0) } ?? "")
  }

  /// Returns the label of an item on one line, in at most `width` columns. A path keeps its end, because its last component is the most informative.
  package static func label(_ label: String, width: Int = longestLabel) -> String {
    let line = oneLine(label)
    return line.contains("/") ? fittedEnd(line, width: width) : fitted(line, width: width)
  }
}
