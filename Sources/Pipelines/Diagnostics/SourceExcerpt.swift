/// A source line as it is shown, with the line of carets below it.
struct SourceExcerpt {
  /// The line: tabs expanded, control characters visible, cut to the width around the caret.
  let line: String
  /// What goes before the caret.
  let indentation: String
  /// `^`, and `~` for each further column of the stretch on this line.
  let caret: String
  /// The column, from 0, behind the caret's last.
  let caretEnd: Int

  private static let tabWidth = 4
  private static let ellipsis = "…"

  /// - Parameters:
  ///   - line: The whole line at which `range` starts.
  ///   - range: What to underline; a stretch over several lines is underlined to the end of its first.
  ///   - width: The greatest number of terminal columns to take.
  init(line: Substring, range: SourceRange, width: Int) {
    var cells: [(text: String, width: Int)] = []
    var column = 0
    for scalar in line.unicodeScalars {
      var text = TerminalText.visible(scalar)
      var cell = TerminalText.width(of: text)
      if scalar == "\t" {
        cell = Self.tabWidth - column % Self.tabWidth
        text = String(repeating: " ", count: cell)
      }
      cells.append((text, cell))
      column += cell
    }
    let first = min(max(0, range.start.column - 1), cells.count)
    let isOneLine = range.end.line == range.start.line
    let last = min(max(first, isOneLine ? range.end.column - 1 : cells.count), cells.count)
    let shown = Self.window(cells.map(\.width), around: first, width: width)
    let cutsBefore = shown.lowerBound > 0
    let cutsAfter = shown.upperBound < cells.count

    self.line =
      (cutsBefore ? Self.ellipsis : "") + cells[shown].map(\.text).joined() + (cutsAfter ? Self.ellipsis : "")
    let before = cells[shown.lowerBound..<first].reduce(cutsBefore ? 1 : 0) { $0 + $1.width }
    let underlined = cells[first..<max(first, min(last, shown.upperBound))].reduce(0) { $0 + $1.width }
    indentation = String(repeating: " ", count: before)
    caret = "^" + String(repeating: "~", count: max(0, underlined - 1))
    caretEnd = before + max(1, underlined)
  }

  /// The cells to show: all if they fit, otherwise as many as fit with the cell at `place` about a third from the left.
  private static func window(_ widths: [Int], around place: Int, width: Int) -> Range<Int> {
    // One column stays free for the caret behind the end of the line.
    guard widths.reduce(0, +) > width - 1 else { return 0..<widths.count }
    let room = width - 3
    var start = place
    var used = 0
    while start > 0, used + widths[start - 1] <= room / 3 {
      start -= 1
      used += widths[start]
    }
    var end = place
    while end < widths.count, used + widths[end] <= room {
      used += widths[end]
      end += 1
    }
    while start > 0, used + widths[start - 1] <= room {
      start -= 1
      used += widths[start]
    }
    return start..<end
  }
}
