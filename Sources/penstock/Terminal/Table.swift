import PipelineLanguage

/// A table for a terminal, with aligned columns and headings.
///
/// Control characters in cells are escaped. The last column takes the remaining width and is truncated, unless it contains sentences: if these do not
/// fit, they are shown below their rows.
struct Table {
  struct Column {
    var title: String
    var isRightAligned = false
    /// Returns the paint of a cell from its text.
    var paint: (@Sendable (String) -> Style.Paint?)?
    /// Whether its cells are names of operations and items, whose numbers are kept if space is short.
    var hasNames = false
    /// The minimum width if space is short: that of an id or of a time.
    var least = Table.shortest
    /// Whether its cells are sentences, which are never truncated. Only for the last column.
    var hasSentences = false

    init(
      _ title: String, right: Bool = false, names: Bool = false, keeping least: Int = Table.shortest,
      sentences: Bool = false, paint: (@Sendable (String) -> Style.Paint?)? = nil
    ) {
      self.title = title
      isRightAligned = right
      hasNames = names
      self.least = least
      hasSentences = sentences
      self.paint = paint
    }
  }

  /// The default minimum width of a column.
  static let shortest = 8
  /// The width of a run's id, however long.
  static let id = 12
  /// The width of a date with a time of day.
  static let time = 19
  /// The minimum width of a terminal for sentences below rows.
  private static let narrowest = 40

  var columns: [Column]
  var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  mutating func add(_ cells: String...) { add(cells) }

  mutating func add(_ cells: [String]) {
    rows.append(cells)
  }

  /// Returns the table in at most `width` columns (nil: unlimited). Wide columns shrink, the widest first, but not below eight columns or their own
  /// minimum. Columns that still do not fit are omitted on the right, and `…` follows the headings. Sentences that do not fit are wrapped below their
  /// rows.
  func render(width: Int?, style: Style) -> String {
    if let width, let text = renderWithSentences(width: width, style: style) { return text }
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

  /// Returns the table with the cells of its last column below their rows; nil if they fit, or are not sentences.
  private func renderWithSentences(width: Int, style: Style) -> String? {
    guard let last = columns.last, last.hasSentences, columns.count > 1, width >= Self.narrowest else { return nil }
    let sentences = rows.map { TerminalText.visible($0[columns.count - 1]) }
    let longest = sentences.map { TerminalText.width(of: $0) }.max() ?? 0
    var whole = self
    whole.columns.removeLast()
    whole.rows = rows.map { $0.dropLast() }
    let room = width - whole.widths(of: whole.visibleCells, to: nil).reduce(0) { $0 + $1 + 2 }
    guard longest > room else { return nil }
    let lines = whole.render(width: width, style: style).split(separator: "\n", omittingEmptySubsequences: false)
    func below(_ text: String) -> [String] {
      TerminalText.wrapped(text, width: width - Self.indentation.count).map { Self.indentation + $0 }
    }
    var shown = [String(lines[0])] + below(last.title).map { style.paint($0, .bold) }
    for (line, sentence) in zip(lines.dropFirst(), sentences) { shown += [String(line)] + below(sentence) }
    return shown.map { $0 + "\n" }.joined()
  }

  private static let indentation = "  "

  /// Returns the titles of the columns that ``render(width:style:)`` omits.
  func titlesLeftOut(width: Int?) -> [String] {
    columns.dropFirst(widths(of: visibleCells, to: width).count).map(\.title)
  }

  private var visibleCells: [[String]] { rows.map { row in row.map { TerminalText.visible($0) } } }

  /// The width of `…` after the headings.
  private static let sign = 2

  /// Returns the widths of the columns that fit.
  private func widths(of cells: [[String]], to width: Int?) -> [Int] {
    var widths = columns.map { TerminalText.width(of: TerminalText.visible($0.title)) }
    for row in cells {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], TerminalText.width(of: cell)) }
    }
    guard let width else { return widths }
    shrink(&widths, to: width)
    var cut = widths
    self.cut(&cut, to: width)
    if cut.count < widths.count, width > Self.sign {
      cut = widths
      self.cut(&cut, to: width - Self.sign)
    }
    return cut
  }

  private func shrink(_ widths: inout [Int], to width: Int) {
    var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
    while excess > 0 {
      let giving = widths.indices.filter { widths[$0] > columns[$0].least }
      guard let widest = giving.max(by: { widths[$0] < widths[$1] }) else { return }
      // Down to the next widest column in each step, so that two wide columns share the loss.
      let next = giving.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      let step = min(excess, max(1, widths[widest] - max(columns[widest].least, next)))
      widths[widest] -= step
      excess -= step
    }
  }

  /// Cuts the table off at the edge of the terminal: a wrapped line is harder to read than a truncated one.
  private func cut(_ widths: inout [Int], to width: Int) {
    var room = width
    for column in widths.indices {
      if column > 0 { room -= 2 }
      // A truncated number or time would be mistaken for another one.
      let isWhole = column > 0 && (columns[column].isRightAligned || columns[column].least > Self.shortest)
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
