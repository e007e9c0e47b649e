import ArgumentParser
import PipelineService
import RunHistory
import RunReports
import Values

struct HistoryList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List runs, the latest first.",
    discussion: """
        penstock history list --pipeline 'nightly*' --state failed,cancelled
        penstock history list --since 2h --json
        penstock history list --where "duration > '5m' && params.region == 'eu'"
      """)

  @OptionGroup var filter: FilterOptions
  @Flag(help: "Print comma-separated values.") var csv = false
  @OptionGroup var shared: SharedOptions

  func validate() throws {
    try shared.requireOneFormat(csv: csv)
  }

  func run() throws {
    var filter = try filter.filter(defaultLimit: Self.usualLimit)
    guard let history = try shared.openHistory() else { return printEmpty(in: nil) }
    // One more than is shown tells whether there are more.
    let limit = filter.limit
    filter.limit = limit.map { $0 < .max ? $0 + 1 : $0 }
    var runs = try history.runs(filter)
    let isCut = limit.map { runs.count > $0 } ?? false
    if let limit, isCut { runs.removeSubrange(limit...) }
    if runs.isEmpty { try FilterOptions.check(filter, in: history) }
    shared.output(csv: csv).print {
      runs.lazy.map { $0.jsonValue() }
    } csv: {
      printCSV(runs)
    } text: {
      if runs.isEmpty { printEmpty(in: history) } else { printTable(runs, in: history) }
    }
    if isCut, self.filter.limit == nil, !shared.quiet { tellOfMore(than: runs.count) }
  }

  /// Says that the list is not complete: below a table, and where data are printed on standard error, so that nobody takes it for a run.
  private func tellOfMore(than count: Int) {
    let text = "The latest \(count) of more; --limit NUMBER shows more, --limit 0 all."
    guard shared.output(csv: csv).format != .text else {
      return TextOutput.standard.writeLine(shared.style.paint(text, .dim))
    }
    TextOutput.standard.flush()
    TextOutput.error.writeLine("penstock: the latest \(count) of more; --limit NUMBER shows more, --limit 0 all")
  }

  /// How many runs are listed where nobody says.
  private static let usualLimit = 30

  private func printEmpty(in history: History?) {
    guard !shared.quiet else { return }
    shared.output(csv: csv).choose {
    } csv: {
      printCSV([])
    } text: {
      TextOutput.standard.writeLine(RunText.none(in: history))
    }
  }

  private func printTable(_ runs: [RunRecord], in history: History) {
    var table = Table([
      .init("RUN"), .init("PIPELINE"), .init("STATE") { StatePaint.ofWord($0) }, .init("STARTED"),
      .init("TOOK", right: true),
      .init("OPERATIONS"),
    ])
    let now = RecordTime.now
    let reference = RunReference(history: history)
    for run in runs {
      table.add(
        reference.short(run.id), run.pipeline, run.state.rawValue,
        ClockText.ago(run.startedAt ?? run.createdAt, now: now),
        DurationText.format(from: run.startedAt, to: run.endedAt ?? (run.state == .running ? now : nil)),
        RunText.counts(run))
    }
    TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
  }

  private func printCSV(_ runs: [RunRecord]) {
    TextOutput.standard.writeCSV(runs.lazy.map { $0.jsonValue() }, columns: RunRecord.columns)
  }
}
