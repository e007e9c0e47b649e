import ArgumentParser
import Pipelines
import Values

struct HistoryStats: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show how often runs and operations succeed, and how long they take.",
    discussion: """
      Durations are those of successes; what was skipped or cancelled counts as
      ended alone. TREND has a bar for each part of the time, as high as the
      median of its durations. The flakiest operations come last, under the table.
      Of days that are over, percentiles may be off by 0.8 %.

        penstock history stats
        penstock history stats nightly --since 30d
        penstock history stats nightly --operation fetch --json
      """)

  @Argument(help: "The pipeline; * and ? stand for any characters.")
  var pipeline: String?

  @Option(help: ArgumentHelp("Only runs since then: 7d, yesterday, 2026-11-20.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only runs before then.", valueName: "time"))
  var until: String?

  @Option(help: ArgumentHelp("Only this operation; of a loop, all items.", valueName: "name"))
  var operation: String?

  @Flag(help: "Print comma-separated values.") var csv = false
  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if csv, shared.json { throw ValidationError("Choose one of --csv and --json.") }
  }

  func run() throws {
    let since = try FilterOptions.time(since, option: "--since")
    let until = try FilterOptions.time(until, option: "--until")
    let rows = try statistics(since: since, until: until)
    let output = TextOutput.standard
    if shared.json {
      for row in rows { output.writeLine(row.jsonValue().text) }
    } else if csv {
      output.write(
        CSV.line([
          "pipeline", "operation", "count", "succeeded", "failed", "average_ms", "p50_ms", "p95_ms", "max_ms",
          "retried",
        ]))
      for row in rows {
        let durations = [row.averageMilliseconds, row.p50Milliseconds, row.p95Milliseconds, row.maximumMilliseconds]
        output.write(
          CSV.line(
            [row.pipeline, row.operation ?? "", String(row.count), String(row.succeeded), String(row.failed)]
              + durations.map { $0.map { JSONValue.double($0).text } ?? "" } + [String(row.retried)]))
      }
    } else if rows.isEmpty {
      if !shared.quiet { output.writeLine("No runs.") }
    } else {
      output.write(table(rows).render(width: shared.tableWidth, style: shared.style))
      printFlakiest(rows)
    }
  }

  private func statistics(since: RecordTime?, until: RecordTime?) throws -> [DurationStatistics] {
    let location = try shared.location()
    guard location.hasDatabase else { return try shared.openHistory()?.statistics() ?? [] }
    // Opened for writing where that is permitted, so that days that are over need be counted only once.
    let history = try History.open(at: location.path, mode: .readWrite)
    try history.markInterrupted()
    try history.tallyPastDays()
    return try history.statistics(pipeline: pipeline, operation: operation, since: since, until: until)
  }

  private func table(_ rows: [DurationStatistics]) -> Table {
    var table = Table([
      .init("PIPELINE / OPERATION"), .init("ENDED", right: true), .init("SUCCEEDED", right: true),
      .init("FAILED", right: true), .init("P50", right: true), .init("P95", right: true), .init("LONGEST", right: true),
      .init("TREND"),
    ])
    for row in rows {
      table.add(
        row.operation.map { "  " + $0 } ?? row.pipeline, String(row.count),
        Self.share(row.succeeded, of: row.succeeded + row.failed),
        String(row.failed), Self.duration(row.p50Milliseconds), Self.duration(row.p95Milliseconds),
        Self.duration(row.maximumMilliseconds),
        SparkLine.text(row.trend.map(\.p50Milliseconds), isUnicode: shared.style.isUnicode))
    }
    return table
  }

  private func printFlakiest(_ rows: [DurationStatistics]) {
    // What fails now and then, or needs more than one attempt.
    func unsteady(_ row: DurationStatistics) -> Int { row.succeeded > 0 ? max(row.failed, row.retried) : 0 }
    let flaky = rows.filter { $0.operation != nil && unsteady($0) > 0 }
      .sorted { (unsteady($0) * $1.count, $1.pipeline) > (unsteady($1) * $0.count, $0.pipeline) }.prefix(3)
    guard !flaky.isEmpty, !shared.quiet else { return }
    let names = flaky.map { row in
      let counts = [(row.failed, "failed"), (row.retried, "retried")].filter { $0.0 > 0 }
      let text = counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      return
        "\(TerminalText.visible(row.operation ?? "")) of \(TerminalText.visible(row.pipeline)) (\(text) of \(row.count))"
    }
    TextOutput.standard.writeLine("\nFlakiest: " + names.joined(separator: ", "))
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

extension DurationStatistics {
  fileprivate func jsonValue() -> JSONValue {
    func number(_ value: Double?) -> JSONValue { value.map { .double($0) } ?? .null }
    return .object([
      "pipeline": .string(pipeline), "operation": JSONValue(operation), "count": JSONValue(count),
      "succeeded": JSONValue(succeeded), "failed": JSONValue(failed), "average_ms": number(averageMilliseconds),
      "p50_ms": number(p50Milliseconds), "p95_ms": number(p95Milliseconds), "max_ms": number(maximumMilliseconds),
      "retried": JSONValue(retried),
      "trend": .array(
        trend.map { slice in
          .object([
            "from": .string(slice.from.text), "count": JSONValue(slice.count),
            "succeeded": JSONValue(slice.succeeded), "failed": JSONValue(slice.failed),
            "p50_ms": number(slice.p50Milliseconds),
          ])
        }),
    ])
  }
}
