import ArgumentParser
import PipelineLanguage
import RunHistory
import Values

struct HistoryStats: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show success rates and durations of runs and operations",
    discussion: """
      Durations are those of successful runs and operations. ENDED is the sum of OK, FAILED and OTHER (skipped, \
      cancelled or reused); SUCCESS ignores OTHER. The items of a loop have a row of their own: loop[*]. TREND \
      has a bar for each part of the time range, as high as the median duration. Below the table come the \
      flakiest operations. For past days, percentiles may be off by 0.8 %.

        penstock history stats
        penstock history stats nightly --since 30d
        penstock history stats nightly --operation fetch --json
      """)

  @Argument(
    help: "The pipeline; * and ? are wildcards", completion: ArgumentCompletion.pipelines)
  var pipeline: String?

  @Option(
    help: ArgumentHelp("Only runs since this time: 7d (ago), yesterday, 2026-11-20, or a timestamp", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only runs before this time, in the same form", valueName: "time"))
  var until: String?

  @Option(
    help: ArgumentHelp("Only this operation, and the items if it is a loop", valueName: "name"),
    completion: ArgumentCompletion.operations)
  var operation: String?

  @OptionGroup var labels: LabelFilterOptions

  @Flag(help: "Print CSV") var csv = false
  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    try shared.requireOneFormat(csv: csv)
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let (since, until) = try FilterOptions.span(since: since, until: until)
    let rows = try statistics(since: since, until: until, shared)
    let history = try rows.isEmpty ? shared.openHistoryIfPresent() : nil
    let output = TextOutput.standard
    try shared.output(csv: csv).print {
      rows.map { $0.jsonValue() }
    } csv: {
      output.writeCSV(rows.lazy.map { $0.jsonValue() }, columns: DurationStatistics.columns)
    } text: {
      guard !rows.isEmpty else {
        if !shared.quiet { output.writeLine(try RunText.none(in: history, filters: given, pipeline: pipeline)) }
        return
      }
      let text = StatisticsText(rows: rows, isOfOneOperation: operation != nil, style: shared.style)
      output.write(text.text(width: shared.tableWidth))
      if !shared.quiet {
        output.write(text.note(width: shared.tableWidth))
        output.write(text.flakiest(width: shared.tableWidth))
      }
    }
  }

  /// The filters of the statistics, as given.
  private var given: [String] {
    let filters: [(name: String, isGiven: Bool)] = [
      ("the pipeline '\(TerminalText.visible(pipeline ?? ""))'", pipeline != nil), ("--since", since != nil),
      ("--until", until != nil),
      ("--operation", operation != nil),
    ]
    return filters.filter(\.isGiven).map(\.name) + labels.given
  }

  private func statistics(
    since: RecordTime?, until: RecordTime?, _ shared: SharedOptions
  ) throws -> [DurationStatistics] {
    let labels = try labels.labels()
    let location = try shared.location()
    guard location.hasDatabase else { return try shared.openHistory()?.statistics() ?? [] }
    // Past days need to be counted only once.
    let (history, isWritable) = try location.historyForQueries(durability: DurabilitySetting.value())
    if isWritable { try history.tallyPastDays() }
    return try history.statistics(
      pipeline: pipeline, operation: operation, since: since, until: until, labels: labels,
      slices: StatisticsText.bars(width: shared.output.format == .json ? nil : shared.tableWidth))
  }
}
