import PipelineLanguage

/// Rows under headings, aligned for a terminal.
///
/// Cells are made harmless: whatever acts on a terminal is shown as text. The last column takes what room is left, and is cut.
struct Table {
  struct Column {
    var title: String
    var isRightAligned = false
    /// Gives the paint of a cell, by its text.
    var paint: (@Sendable (String) -> Style.Paint?)?
    /// Whether its cells are names of operations and items, of which the number is kept where room is short.
    var hasNames = false

    init(_ title: String, right: Bool = false, names: Bool = false, paint: (@Sendable (String) -> Style.Paint?)? = nil)
    {
      self.title = title
      isRightAligned = right
      hasNames = names
      self.paint = paint
    }
  }

  var columns: [Column]
  var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  mutating func add(_ cells: String...) { add(cells) }

  mutating func add(_ cells: [String]) {
    rows.append(cells)
  }

  /// The table in at most `width` columns (nil: as wide as it is). Wide columns give way, the widest first, but keep eight; what has no room even
  /// then is left out at the right, and `…` stands behind the headings.
  func render(width: Int?, style: Style) -> String {
    let cells = visibleCells
    let titles = columns.map { TerminalText.visible($0.title) }
    let widths = widths(of: cells, to: width)
    var text = line(titles, widths: widths) { cell, _ in style.paint(cell, .bold) }
    if let width, widths.count < columns.count, width > Self.sign {
      text.removeLast()
      text += " …\n"
    }
    for row in cells {
      text += line(row, widths: widths, hasNames: true) { cell, column in
        guard style.isColored else { return cell }
        return style.paint(cell, columns[column].paint?(row[column]))
      }
    }
    return text
  }

  /// The titles of the columns that ``render(width:style:)`` leaves out.
  func titlesLeftOut(width: Int?) -> [String] {
    columns.dropFirst(widths(of: visibleCells, to: width).count).map(\.title)
  }

  private var visibleCells: [[String]] { rows.map { row in row.map { TerminalText.visible($0) } } }

  /// What `…` takes behind the headings.
  private static let sign = 2

  /// The widths of the columns that have room.
  private func widths(of cells: [[String]], to width: Int?) -> [Int] {
    var widths = columns.map { TerminalText.width(of: TerminalText.visible($0.title)) }
    for row in cells {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], TerminalText.width(of: cell)) }
    }
    guard let width else { return widths }
    Self.shrink(&widths, to: width)
    var cut = widths
    self.cut(&cut, to: width)
    if cut.count < widths.count, width > Self.sign {
      cut = widths
      self.cut(&cut, to: width - Self.sign)
    }
    return cut
  }

  private static func shrink(_ widths: inout [Int], to width: Int) {
    var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
    while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 8 {
      // Down to the next widest at a step, so that two long columns share the loss.
      let next = widths.indices.filter { $0 != widest }.map { widths[$0] }.max() ?? 8
      let step = min(excess, max(1, widths[widest] - max(8, next)))
      widths[widest] -= step
      excess -= step
    }
  }

  /// Ends the table at the edge of the terminal: a line that wraps is harder to read than one that is cut.
  private func cut(_ widths: inout [Int], to width: Int) {
    var room = width
    for column in widths.indices {
      if column > 0 { room -= 2 }
      // The beginning of a number would be another number.
      let isWhole = columns[column].isRightAligned && column > 0
      guard room >= (isWhole ? widths[column] : 1) else { return widths.removeSubrange(column...) }
      widths[column] = min(widths[column], room)
      room -= widths[column]
    }
  }

  private func line(
    _ cells: [String], widths: [Int], hasNames: Bool = false, paint: (String, Int) -> String
  ) -> String {
    var text = ""
    for (column, cell) in cells.prefix(widths.count).enumerated() {
      let shown =
        hasNames && columns[column].hasNames
        ? NameText.fitted(cell: cell, width: widths[column]) : TerminalText.fitted(cell, width: widths[column])
      let gap = String(repeating: " ", count: widths[column] - TerminalText.width(of: shown))
      let painted = paint(shown, column)
      let isLast = column == widths.count - 1
      if column > 0 { text += "  " }
      if columns[column].isRightAligned {
        text += gap + painted
      } else {
        text += painted + (isLast ? "" : gap)
      }
    }
    while text.hasSuffix(" ") { text.removeLast() }
    return text + "\n"
  }
}
