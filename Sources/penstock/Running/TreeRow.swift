import PipelineLanguage
import RunHistory

/// One line of a tree, before it is cut to a width.
struct TreeRow: Equatable {
  var depth: Int
  /// Nil for a line that stands for others.
  var state: OperationState?
  /// Visible text.
  var name: String
  var time: String
  var detail: String
  /// The word for the state, where that is not its name.
  var word: String?
  /// What an item is called.
  var label: String?

  /// The columns that the name takes, with its indentation.
  var nameWidth: Int { 2 * depth + NameText(name, label: label).width }

  /// The line: glyph, name, time, and as much of the detail as fits.
  func line(nameColumn: Int, width: Int, style: Style) -> String {
    let indentation = String(repeating: " ", count: 2 * depth)
    let nameWidth = max(1, min(max(6, nameColumn - 2 * depth), width - 3 - 2 * depth))
    let shownName = NameText(name, label: label).fitted(width: nameWidth)
    let glyph = state.map { StatePaint.glyph($0, isUnicode: style.isUnicode) } ?? " "
    let gap = String(repeating: " ", count: max(0, nameWidth - TerminalText.width(of: shownName)))
    let time = String(repeating: " ", count: max(0, 7 - time.count)) + time
    let used = 2 * depth + 4 + nameWidth + time.count
    let paint = state.flatMap { StatePaint.of($0) }
    var line = " " + indentation + style.paint(glyph, paint) + " "
    line += state == .pending || state == nil ? style.paint(shownName, .dim) : shownName
    // On a very narrow terminal, the name alone.
    guard used < width else { return line }
    line += gap + " " + style.paint(time, .dim)
    let room = width - used - 2
    if !detail.isEmpty, room > 4 {
      let isLoud = state == .failed || state == .retrying || state == .waiting
      line += "  " + style.paint(TerminalText.fitted(detail, width: room), isLoud ? paint : .dim)
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}

/// Folds rows until they fit a height: first what has ended well or has not begun, then what is nested, then the end.
enum TreeFolding {
  private enum Kind {
    case done, pending, open
  }

  static func fold(_ rows: [TreeRow], height: Int) -> [TreeRow] {
    guard rows.count > height else { return rows }
    var rows = folded(rows, below: 1)
    if rows.count > height { rows = folded(rows, below: 0) }
    if rows.count > height { rows = rows.filter { $0.depth == 0 || kind(of: $0) == .open } }
    if rows.count > height { rows = rows.filter { $0.depth == 0 } }
    guard rows.count > height else { return rows }
    let hidden = rows.count - (height - 1)
    return rows.prefix(height - 1) + [TreeRow(depth: 0, state: nil, name: "… \(hidden) more", time: "", detail: "")]
  }

  private static func kind(of row: TreeRow) -> Kind {
    switch row.state {
    case .succeeded, .reused, .skipped: .done
    case .pending, .cancelled: .pending
    case .waiting, .running, .retrying, .failed, nil: .open
    }
  }

  /// Neighbours of one kind and depth, at least `depth` deep, as one row each.
  private static func folded(_ rows: [TreeRow], below depth: Int) -> [TreeRow] {
    var result: [TreeRow] = []
    var index = 0
    while index < rows.count {
      let first = rows[index]
      let firstKind = kind(of: first)
      var end = index + 1
      while end < rows.count, rows[end].depth == first.depth, rows[end].state == first.state,
        rows[end].word == first.word
      {
        end += 1
      }
      // A row with others below it is not alone.
      if end < rows.count, rows[end].depth > first.depth { end = max(index + 1, end - 1) }
      if firstKind != .open, first.depth >= depth, end - index > 2, let state = first.state {
        result.append(
          TreeRow(
            depth: first.depth, state: state, name: "\(end - index) \(first.word ?? state.rawValue)", time: "",
            detail: ""))
      } else {
        result += rows[index..<end]
      }
      index = end
    }
    return result
  }
}
