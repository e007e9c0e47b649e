/// A source line as it is shown, with the line of carets below it.
struct SourceExcerpt {
  /// The line, with tabs expanded, control characters escaped, and cut to the width around the caret.
  let line: String
  /// The text before the caret.
  let indentation: String
  /// `^`, and `~` for each further column of the range on this line.
  let caret: String
  /// The column after the last caret, from 0.
  let caretEnd: Int

  private static let tabWidth = 4
  private static let ellipsis = "…"

  /// Creates the excerpt for the line of `source` in which `range` starts, in at most `width` terminal columns. A range of several lines is underlined
  /// to the end of its first line.
  init(of range: SourceRange, in source: SourceText, width: Int) {
    let isOneLine = range.end.line == range.start.line
    let length = isOneLine ? max(0, range.end.column - range.start.column) : Int.max
    let line = source.line(range.start.line)
    // Reads only the visible part of a very long line. A scalar has at most four bytes.
    let place = source.text.utf8.index(
      source.text.startIndex,
      offsetBy: source.utf8Offset(of: SourceMark(line: range.start.line, column: max(1, range.start.column)))
    )
    let start =
      source.text.unicodeScalars.index(
        place, offsetBy: -width, limitedBy: line.startIndex
      ) ?? line.startIndex
    let end = source.text.unicodeScalars.index(place, offsetBy: width, limitedBy: line.endIndex) ?? line.endIndex
    self.init(
      line[start..<end], first: source.text.unicodeScalars.distance(from: start, to: place), length: length,
      width: width,
      isCutBefore: start > line.startIndex, isCutAfter: end < line.endIndex
    )
  }

  /// Creates an excerpt of `line` in which `length` scalars are underlined, starting at index `first`.
  private init(_ line: Substring, first: Int, length: Int, width: Int, isCutBefore: Bool, isCutAfter: Bool) {
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
    let first = min(first, cells.count)
    let last = length < cells.count - first ? first + length : cells.count
    let shown = Self.window(cells.map(\.width), around: first, width: width, isCut: isCutBefore || isCutAfter)
    let cutsBefore = isCutBefore || shown.lowerBound > 0
    let cutsAfter = isCutAfter || shown.upperBound < cells.count

    self.line =
      (cutsBefore ? Self.ellipsis : "") + cells[shown].map(\.text).joined() + (cutsAfter ? Self.ellipsis : "")
    let before = cells[shown.lowerBound..<first].reduce(cutsBefore ? 1 : 0) { $0 + $1.width }
    let underlined = cells[first..<max(first, min(last, shown.upperBound))].reduce(0) { $0 + $1.width }
    indentation = String(repeating: " ", count: before)
    caret = "^" + String(repeating: "~", count: max(0, underlined - 1))
    caretEnd = before + max(1, underlined)
  }

  /// Returns the cells to show: all if they fit, otherwise as many as fit, with the cell at `place` about a third from the left.
  private static func window(_ widths: [Int], around place: Int, width: Int, isCut: Bool) -> Range<Int> {
    // One column stays free for a caret after the end of the line.
    guard isCut || widths.reduce(0, +) > width - 1 else { return 0..<widths.count }
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
