import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Statistics as a table with a spark line in each row, and what is flaky in words.
struct StatisticsText {
  let rows: [DurationStatistics]
  /// Whether there are only rows of one operation, without those of its pipelines above them.
  let isOfOneOperation: Bool
  let style: Style

  private static let mostBars = 30
  /// More would be cut off beside long names, which are as wide.
  private static let mostBarsOfTerminal = 24
  private static let fewestBars = 8
  /// The numbers, the gaps, and a name of usual length.
  private static let columnsBesideBars = 68
  /// In fewer columns than this, the share of successes is left out, which the numbers tell as well.
  private static let widthWithShare = 100

  /// How many bars there is room for in so many columns; nil stands for any number of columns.
  static func bars(width: Int?) -> Int {
    guard let width else { return mostBars }
    return min(mostBarsOfTerminal, max(fewestBars, width - columnsBesideBars - (width < widthWithShare ? 0 : 9)))
  }

  /// A row for each pipeline, and under it one for each of its operations.
  func text(width: Int?) -> String { table(width: width).render(width: width, style: style) }

  /// Which columns a terminal has no room for; empty if there is room for all.
  func note(width: Int?) -> String {
    guard let width else { return "" }
    let titles = (Self.hasShare(width) ? [] : [Self.share]) + table(width: width).titlesLeftOut(width: width)
    guard !titles.isEmpty else { return "" }
    let note = "Not shown in \(Count.of(width, "column")): \(titles.joined(separator: ", "))"
    return TerminalLines.wrapped(note, width: width, indentation: 2) + "\n"
  }

  private static let share = "SUCCESS"

  private static func hasShare(_ width: Int?) -> Bool { width.map { $0 >= widthWithShare } ?? true }

  private func table(width: Int?) -> Table {
    let hasShare = Self.hasShare(width)
    var columns: [Table.Column] = [
      .init("PIPELINE", names: true), .init("ENDED", right: true), .init("OK", right: true),
      .init("FAILED", right: true),
      .init("OTHER", right: true),
    ]
    if hasShare { columns.append(.init(Self.share, right: true)) }
    columns += [
      .init("P50", right: true), .init("P95", right: true), .init("MAX", right: true), .init("TREND"),
    ]
    var table = Table(columns)
    for row in rows {
      var cells = [
        name(of: row), String(row.count), String(row.succeeded), String(row.failed),
        String(row.count - row.succeeded - row.failed),
      ]
      if hasShare { cells.append(Self.share(row.succeeded, of: row.succeeded + row.failed)) }
      cells += [
        Self.duration(row.p50Milliseconds), Self.duration(row.p95Milliseconds),
        Self.duration(row.maximumMilliseconds),
        SparkLine.text(row.trend.map(\.p50Milliseconds), isUnicode: style.isUnicode),
      ]
      table.add(cells)
    }
    return table
  }

  private func name(of row: DurationStatistics) -> String {
    guard let operation = row.operation else { return row.pipeline }
    return isOfOneOperation ? "\(row.pipeline) / \(operation)" : "  \(operation)"
  }

  /// The three operations that most often fail now and then, or need more than one attempt, in at most `width` columns; empty if there is none.
  func flakiest(width: Int?) -> String {
    func unsteady(_ row: DurationStatistics) -> Int { row.succeeded > 0 ? max(row.failed, row.retried) : 0 }
    let flaky = rows.filter { $0.operation != nil && unsteady($0) > 0 }
      .sorted { (unsteady($0) * $1.count, $1.pipeline) > (unsteady($1) * $0.count, $0.pipeline) }.prefix(3)
    guard !flaky.isEmpty else { return "" }
    let names = flaky.map { row in
      let counts = [(row.failed, "failed"), (row.retried, "retried")].filter { $0.0 > 0 }
      let text = counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      let operation = TerminalText.visible(row.operation ?? "")
      return "\(operation) of \(TerminalText.visible(row.pipeline)) (\(text) of \(row.count))"
    }
    let line = "Flakiest: " + names.joined(separator: ", ")
    return "\n" + TerminalLines.wrapped(line, width: width, indentation: 2) + "\n"
  }

  private static func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "" }
    if part == whole { return "100%" }
    // Never rounded up to 100: one failure in a thousand is what a reader looks for.
    let tenths = part * 1000 / whole
    return "\(tenths / 10).\(tenths % 10)%"
  }

  private static func duration(_ milliseconds: Double?) -> String {
    milliseconds.map { DurationText.format(microseconds: Int64($0 * 1000)) } ?? ""
  }
}
