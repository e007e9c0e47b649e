import PipelineLanguage
import RunHistory

/// A line of a tree before it is fitted to a width, with the lines that belong to it.
struct TreeRow: Equatable {
  var depth: Int
  /// Nil for a line that stands for others.
  var state: OperationState?
  /// Visible text.
  var name: String
  var time: String
  var detail: String
  /// The word for the state, if it differs from the state's name.
  var word: String?
  /// The label of an item.
  var label: String?
  /// Whether it is an item shown below its operation, and so omits the operation's name.
  var isBelowOperation = false
  /// Whether it failed and was allowed to.
  var isAllowedFailure = false
  /// The lines below it, which show a question. They are safe to print to a terminal, and not wider than it.
  var below: [String] = []
  /// Whether the last of these lines shows the keys that answer the question.
  var offersKeys = false
  /// The number of operations that it stands for, by the words of their states; nil if it stands only for itself.
  var standsFor: [String: Int]?

  /// The number of lines that it occupies.
  var height: Int { 1 + below.count }

  /// The width of the name in columns, with its indentation.
  var nameWidth: Int { 2 * depth + nameText.width }

  private var nameText: NameText { NameText(name, label: label, isBelowOperation: isBelowOperation) }

  /// Whether the detail is a reason, rather than the progress.
  var hasReason: Bool {
    guard !detail.isEmpty, let state else { return false }
    return switch state {
    case .failed, .retrying, .waiting, .cancelled, .skipped: true
    case .pending, .running, .succeeded, .reused: false
    }
  }

  /// The number of operations that it stands for, by the words of their states.
  var counts: [String: Int] { standsFor ?? state.map { [word ?? $0.rawValue: 1] } ?? [:] }

  /// Returns a line for operations that do not fit, with the number of each state.
  static func more(depth: Int, _ counts: [String: Int]) -> TreeRow {
    let order = OperationState.allCases.map(\.rawValue)
    let urgency: [OperationState] = [.running, .retrying, .waiting, .failed]
    let sorted = counts.sorted { left, right in
      let places = [left.key, right.key].map { word in
        urgency.firstIndex { $0.rawValue == word } ?? urgency.count + (order.firstIndex(of: word) ?? order.count)
      }
      return (places[0], left.key) < (places[1], right.key)
    }
    let total = counts.values.reduce(0, +)
    let words = sorted.count == 1 ? " \(sorted[0].key)" : ": " + sorted.map { "\($1) \($0)" }.joined(separator: ", ")
    return TreeRow(
      depth: depth, state: nil, name: "… \(total) more" + (sorted.isEmpty ? "" : words), time: "", detail: "",
      standsFor: counts)
  }

  /// Returns the line: glyph, name, time, and as much of the detail as fits.
  func line(_ columns: TreeColumns, width: Int, style: Style) -> String {
    let indentation = String(repeating: " ", count: 2 * depth)
    // A line that stands for others has no columns after its name.
    let column = state == nil ? width : columns.shownName
    let nameWidth = max(1, min(max(6, column - 2 * depth), width - 3 - 2 * depth))
    let shownName = nameText.fitted(width: nameWidth)
    let glyph = state.map { StatePaint.glyph($0, isUnicode: style.isUnicode) } ?? " "
    let gap = String(repeating: " ", count: max(0, nameWidth - TerminalText.width(of: shownName)))
    let time = String(repeating: " ", count: max(0, columns.time - time.count)) + time
    let used = 2 * depth + 4 + nameWidth + time.count
    let paint = isAllowedFailure ? .yellow : state.flatMap { StatePaint.of($0) }
    var line = " " + indentation + style.paint(glyph, paint) + " "
    line += state == .pending || state == nil ? style.paint(shownName, .dim) : shownName
    // On a very narrow terminal, only the name.
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

/// The column widths of a tree. They are stable while it is redrawn: for one width of the terminal, columns only grow, and shrink once to make room for
/// reasons.
struct TreeColumns: Equatable {
  /// The maximum width of the names so far.
  private(set) var name = 0
  /// The width that details, and reasons in particular, leave for the names.
  private(set) var nameLimit = Int.max
  /// The width of the times.
  private(set) var time = 0

  /// The width of the name column.
  var shownName: Int { min(name, nameLimit) }

  /// The number of columns below which short times are not padded.
  static let narrow = 60

  /// Fits the widths to rows. If a detail does not fit, the names shrink to as little as half of the width, and for a reason to a quarter.
  mutating func fit(_ rows: [TreeRow], width: Int) {
    time = max(time, width < Self.narrow ? rows.map(\.time.count).max() ?? 0 : 7)
    let named = rows.filter { $0.state != nil }
    name = max(name, named.map(\.nameWidth).max() ?? 0)
    // The glyph, and the gaps between the columns.
    let room = width - (4 + time + 2)
    let longest = named.map { TerminalText.width(of: $0.detail) }.max() ?? 0
    nameLimit = min(nameLimit, max(12, width / 2, room - longest))
    let longestReason = named.filter(\.hasReason).map { TerminalText.width(of: $0.detail) }.max() ?? 0
    guard longestReason > 0 else { return }
    nameLimit = min(nameLimit, max(10, width / 4, room - longestReason))
  }
}

/// Folds rows until they fit a height: first adjacent rows of the same kind that have ended well or have not begun are combined; then whole rows are
/// hidden, with questions and running operations hidden last.
enum TreeFolding {
  static func fold(_ rows: [TreeRow], height: Int) -> [TreeRow] {
    guard total(rows) > height else { return rows }
    var rows = folded(rows, below: 1)
    if total(rows) > height { rows = folded(rows, below: 0) }
    guard total(rows) > height else { return rows }
    return chosen(rows, height: height)
  }

  private static func total(_ rows: [TreeRow]) -> Int { rows.reduce(0) { $0 + $1.height } }

  /// Returns the most important rows, in order, followed by a line that counts the others.
  private static func chosen(_ rows: [TreeRow], height: Int) -> [TreeRow] {
    var room = height - 1
    var taken: [Int: TreeRow] = [:]
    for index in rows.indices.sorted(by: { (rank(of: rows[$0]), $0) < (rank(of: rows[$1]), $1) }) {
      var row = rows[index]
      // A question whose text does not fit becomes a single line.
      if row.height > room { row.below = [] }
      guard row.height <= room else { break }
      room -= row.height
      taken[index] = row
    }
    var hidden: [String: Int] = [:]
    for index in rows.indices where taken[index] == nil { hidden.merge(rows[index].counts, uniquingKeysWith: +) }
    for index in rows.indices where taken[index]?.isBelowOperation == true {
      let operation = rows[..<index].lastIndex { $0.depth < rows[index].depth }
      if operation.flatMap({ taken[$0] }) == nil { taken[index]?.isBelowOperation = false }
    }
    return rows.indices.compactMap { taken[$0] } + [.more(depth: 0, hidden)]
  }

  /// Returns the rank of a row; more important rows have a lower rank.
  private static func rank(of row: TreeRow) -> Int {
    if !row.below.isEmpty { return 0 }
    return switch row.state {
    case .running, .retrying: 1
    case .waiting, nil: 2
    case .failed: row.isAllowedFailure ? 4 : 3
    case .cancelled: 4
    case .pending: 5
    case .succeeded, .reused, .skipped: 6
    }
  }

  private static func isOpen(_ row: TreeRow) -> Bool { rank(of: row) <= 3 || row.isAllowedFailure }

  /// Combines adjacent rows of the same state and depth, at least `depth` deep, into one row each.
  private static func folded(_ rows: [TreeRow], below depth: Int) -> [TreeRow] {
    var result: [TreeRow] = []
    var index = 0
    while index < rows.count {
      let first = rows[index]
      var end = index + 1
      while end < rows.count, rows[end].depth == first.depth, rows[end].state == first.state,
        rows[end].word == first.word
      {
        end += 1
      }
      // A row with others below it is not combined.
      if end < rows.count, rows[end].depth > first.depth { end = max(index + 1, end - 1) }
      if !isOpen(first), first.depth >= depth, end - index > 2, let state = first.state {
        let word = first.word ?? state.rawValue
        result.append(
          TreeRow(
            depth: first.depth, state: state, name: "\(end - index) \(word)", time: "", detail: "",
            standsFor: [word: end - index]))
      } else {
        result += rows[index..<end]
      }
      index = end
    }
    return result
  }
}
