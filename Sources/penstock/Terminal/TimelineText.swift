import PipelineLanguage
import RunHistory
import RunReports

/// Draws the operations of a run as bars on a time axis, in at most `width` columns.
struct TimelineText {
  let style: Style
  let width: Int

  /// The maximum width of the names, unless a third of the width is more.
  private static let longestName = 30
  private static let shortestName = 4
  private static let shortestBar = 10

  func render(_ recorded: RecordedRun, now: RecordTime = .now) -> String {
    // The widths of the names determine how much room is left.
    let probe = RunTimeline(recorded, width: 1, now: now)
    guard !probe.rows.isEmpty else { return "" }
    let durations = probe.rows.map { DurationText.format(microseconds: $0.duration) }
    let durationWidth = durations.map(\.count).max() ?? 0
    // To avoid wrapped lines, the names shrink first, and then the bars.
    let roomForNames = max(Self.shortestName, width - Self.shortestBar - durationWidth - 4)
    let names = probe.rows.map { row in
      NameText(row.name, label: row.label, indentation: row.isItem ? 2 : 0)
        .fitted(width: min(max(Self.longestName, width / 3), roomForNames))
    }
    let title = TerminalText.fitted("TIMELINE", width: roomForNames)
    let nameWidth = max(title.count, names.map { TerminalText.width(of: $0) }.max() ?? 0)
    let room = max(1, width - nameWidth - durationWidth - 4)
    let timeline = RunTimeline(recorded, width: room, now: now)
    let end = DurationText.format(microseconds: timeline.duration)
    let axis = "0" + String(repeating: " ", count: max(1, room - 1 - end.count)) + end
    var text = "\n" + style.paint(padded(title, nameWidth) + "  " + axis, .bold) + "\n"
    for (index, row) in timeline.rows.enumerated() {
      let gap = String(repeating: " ", count: durationWidth - durations[index].count)
      text += padded(names[index], nameWidth) + "  " + bar(row) + "  " + gap + durations[index] + "\n"
    }
    if timeline.omitted > 0 { text += "… and \(timeline.omitted) more\n" }
    return text
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TerminalText.width(of: text)))
  }

  private func bar(_ row: RunTimeline.Row) -> String {
    var text = ""
    var index = 0
    while index < row.cells.count {
      let cell = row.cells[index]
      var end = index
      while end < row.cells.count, row.cells[end] == cell { end += 1 }
      text += style.paint(String(repeating: glyph(cell), count: end - index), paint(cell, row.state))
      index = end
    }
    return text
  }

  private func glyph(_ cell: RunTimeline.Cell) -> String {
    switch cell {
    case .nothing: " "
    case .waiting: style.isUnicode ? "·" : "."
    case .working: style.isUnicode ? "█" : "#"
    case .failing: style.isUnicode ? "▒" : "x"
    }
  }

  private func paint(_ cell: RunTimeline.Cell, _ state: OperationState) -> Style.Paint? {
    switch cell {
    case .nothing: nil
    case .waiting: .dim
    case .working: state == .failed ? .green : StatePaint.of(state)
    case .failing: .red
    }
  }
}
