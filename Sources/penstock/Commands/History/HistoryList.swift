import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct HistoryList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List runs, latest first",
    discussion: """
        penstock history list --pipeline 'nightly*' --state failed,cancelled
        penstock history list --since 2h --json
        penstock history list --where "duration > '5m' && params.region == 'eu'"
      """)

  @OptionGroup var filter: FilterOptions
  @Flag(help: "Print CSV") var csv = false
  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    try shared.requireOneFormat(csv: csv)
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    var filter = try filter.filter(defaultLimit: Self.usualLimit)
    guard let history = try shared.openHistory() else { return try printEmpty(in: nil) }
    // One more run than shown reveals whether there are more.
    let limit = filter.limit
    filter.limit = limit.map { $0 < .max ? $0 + 1 : $0 }
    var runs = try history.runs(filter)
    let isCut = limit.map { runs.count > $0 } ?? false
    if let limit, isCut { runs.removeSubrange(limit...) }
    if runs.isEmpty { try FilterOptions.check(filter, in: history) }
    try shared.output(csv: csv).print {
      runs.lazy.map { $0.jsonValue() }
    } csv: {
      printCSV(runs)
    } text: {
      if runs.isEmpty { try printEmpty(in: history) } else { try printTable(runs, in: history) }
    }
    if isCut, self.filter.limit == nil, !shared.quiet { tellOfMore(than: runs.count) }
  }

  /// Reports that the list is incomplete: below a table, or on standard error with machine-readable output, so that it is not mistaken for a run.
  private func tellOfMore(than count: Int) {
    let text = "Only the latest \(count) are shown; --limit NUMBER shows more, --limit 0 all."
    guard shared.output(csv: csv).format != .text else {
      return TextOutput.standard.writeLine(shared.style.paint(text, .dim))
    }
    TextOutput.standard.flush()
    TextOutput.error.writeMessage(
      "penstock: only the latest \(count) are shown; --limit NUMBER shows more, --limit 0 all")
  }

  /// The default limit.
  private static let usualLimit = 30

  private func printEmpty(in history: History?) throws {
    guard !shared.quiet else { return }
    try shared.output(csv: csv).choose {
    } csv: {
      printCSV([])
    } text: {
      TextOutput.standard.writeLine(try RunText.none(in: history, filters: filter.given, pipeline: filter.pipeline))
      guard let history else { return }
      for hint in [try labelHint(in: history), try instantHint(in: history)].compactMap(\.self) {
        TextOutput.standard.writeLine(hint)
      }
    }
  }

  /// Returns a hint if runs have a given label in a different letter case: `Did you mean --label team=web?`.
  private func labelHint(in history: History) throws -> String? {
    let wanted = try filter.labels.labels()
    guard !wanted.isEmpty else { return nil }
    let runs = try history.runs(RunFilter(pipeline: filter.pipeline, limit: Self.mostAskedForLabels))
    for label in wanted where !runs.contains(where: { label.isAmong($0.labels) }) {
      for run in runs {
        for (name, text) in run.labels.sorted(by: { $0.key < $1.key })
        where name.lowercased() == label.name.lowercased()
          && (label.text.map { $0.lowercased() == text.lowercased() } ?? true)
        {
          let argument = label.text == nil ? name : "\(name)=\(text)"
          return "Did you mean --label \(TerminalText.visible(ShellText.quoted(argument)))?"
        }
      }
    }
    return nil
  }

  /// The number of runs searched for a similar label.
  private static let mostAskedForLabels = 1000

  /// Returns a hint for finding runs by their instants if no run was created in the given period but some stand for instants in it. Only for a period
  /// with an end: runs created before it rarely stand for a later instant, and finding none requires a scan of all runs.
  private func instantHint(in history: History) throws -> String? {
    let bounds = [filter.since.map { "at >= '\($0)'" }, filter.until.map { "at < '\($0)'" }].compactMap(\.self)
    guard filter.until != nil else { return nil }
    let span = bounds.joined(separator: " && ")
    var wanted = try filter.filter(defaultLimit: nil)
    wanted.since = nil
    wanted.until = nil
    wanted.condition = try FilterOptions.condition(filter.condition.map { "(\($0)) && \(span)" } ?? span)
    wanted.limit = 1
    guard try !history.runs(wanted).isEmpty else { return nil }
    return
      "--since and --until compare when a run was created; to compare the instant it is for, use --where \"\(span)\"."
  }

  private func printTable(_ runs: [RunRecord], in history: History) throws {
    let instants = try runs.map { try history.instantApart(of: $0).map(ClockText.dateAndTime) }
    let hasInstants = instants.contains { $0 != nil }
    var table = Table(
      [
        .init("RUN", keeping: Table.id), .init("PIPELINE"), .init("STATE") { StatePaint.ofWord($0) }, .init("STARTED"),
      ] + (hasInstants ? [.init("AT", keeping: Table.time)] : []) + [.init("TOOK", right: true), .init("OPERATIONS")])
    let now = RecordTime.now
    let reference = RunReference(history: history)
    for (run, instant) in zip(runs, instants) {
      table.add(
        [
          reference.short(run.id), run.pipeline, run.state.rawValue,
          ClockText.ago(run.startedAt ?? run.createdAt, now: now),
        ] + (hasInstants ? [instant ?? ""] : []) + [
          DurationText.format(from: run.startedAt, to: run.endedAt ?? (run.state == .running ? now : nil)),
          RunText.counts(run, failedHandlers: try failedHandlers(of: run, in: history)),
        ])
    }
    TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
  }

  /// Returns the handlers that failed. They do not matter if the run succeeded; if only one handler made the run fail, the run's reason names it.
  private func failedHandlers(of run: RunRecord, in history: History) throws -> [String] {
    guard run.state.isFinal, run.state != .succeeded else { return [] }
    return try history.failedHandlers(of: run)
  }

  private func printCSV(_ runs: [RunRecord]) {
    TextOutput.standard.writeCSV(runs.lazy.map { $0.jsonValue() }, columns: RunRecord.columns)
  }
}
