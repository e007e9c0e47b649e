import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Formats statistics as a table with a spark line in each row, and lists the flakiest operations.
struct StatisticsText {
  let rows: [DurationStatistics]
  /// Whether there are only rows of one operation, without those of its pipelines.
  let isOfOneOperation: Bool
  let style: Style

  private static let mostBars = 30
  /// The maximum on a terminal: more would be cut off beside long names, which are equally wide.
  private static let mostBarsOfTerminal = 24
  private static let fewestBars = 8
  /// The width of the numbers, the gaps, and a name of typical length.
  private static let columnsBesideBars = 68
  /// The minimum width for the share of successes, which can also be derived from the numbers.
  private static let widthWithShare = 100

  /// Returns the number of bars that fit a width in columns; nil means an unlimited width.
  static func bars(width: Int?) -> Int {
    guard let width else { return mostBars }
    return min(mostBarsOfTerminal, max(fewestBars, width - columnsBesideBars - (width < widthWithShare ? 0 : 9)))
  }

  /// Returns a table with a row for each pipeline, followed by one for each of its operations.
  func text(width: Int?) -> String { table(width: width).render(width: width, style: style) }

  /// Returns a note on the columns that do not fit the terminal; empty if all do.
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

  /// Returns the three operations that most often fail intermittently or need retries, in at most `width` columns; empty if there is none.
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
    // Never rounded up to 100: a reader looks for the one failure in a thousand.
    let tenths = part * 1000 / whole
    return "\(tenths / 10).\(tenths % 10)%"
  }

  private static func duration(_ milliseconds: Double?) -> String {
    milliseconds.map { DurationText.format(microseconds: Int64($0 * 1000)) } ?? ""
  }
}
