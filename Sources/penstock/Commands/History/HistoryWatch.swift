import ArgumentParser
import Glibc
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct HistoryWatch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show runs of all processes as they begin and end",
    discussion: """
      Shows the active runs first, then continues until Ctrl-C. --state limits the ends that are shown.

        penstock history watch
        penstock history watch --where "state == 'failed'" --json
      """)

  /// The maximum wait in milliseconds before checking again: a host that dies sends no notification.
  private static let longestWait: Int32 = 1000

  @Option(
    help: ArgumentHelp("Only runs of this pipeline; * and ? are wildcards", valueName: "name"),
    completion: ArgumentCompletion.pipelines)
  var pipeline: String?

  @Option(
    help: ArgumentHelp("Only runs that end in these states, such as failed,cancelled", valueName: "states"),
    completion: ArgumentCompletion.states)
  var state: [String] = []

  @OptionGroup var labels: LabelFilterOptions

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only runs for which this is true at that moment", valueName: "expression"))
  var condition: String?

  @Flag(help: "Also show runs that other runs started")
  var nested = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let filter = RunFilter(
      pipeline: pipeline, states: try FilterOptions.states(state), labels: try labels.labels(),
      condition: try FilterOptions.condition(condition),
      includesNested: nested)
    let history = try openHistory(shared)
    try FilterOptions.check(filter, in: history)
    let reference = RunReference(history: history)
    let changes = ChangeWait()
    let subscriptions = try history.followRuns { changes.end() }
    defer { subscriptions.forEach { $0.cancel() } }
    var watch = RunWatch(filter)
    while !TextOutput.standard.isGone {
      for run in try watch.changes(in: history) { show(run, reference) }
      TextOutput.standard.flush()
      changes.wait(milliseconds: Self.longestWait)
    }
  }

  /// Opens the history. If there is none yet, and no location was given explicitly, waits for the first run to create it.
  private func openHistory(_ shared: SharedOptions) throws -> History {
    if let history = try shared.openHistoryIfPresent() { return history }
    shared.reportMissing(try shared.location())
    while true {
      usleep(200_000)
      if let history = try shared.openHistoryIfPresent() { return history }
    }
  }

  private func show(_ run: RunRecord, _ reference: RunReference) {
    shared.output.print(RunEvent.run(run).jsonValue { _, _ in nil }) { showText(run, reference) }
  }

  private func showText(_ run: RunRecord, _ reference: RunReference) {
    let style = shared.style
    let time = ClockText.time(run.endedAt ?? run.startedAt ?? run.createdAt)
    var line = "\(style.paint(time, .dim)) \(reference.short(run.id)) \(TerminalText.visible(run.pipeline)) "
    line += style.paint(run.state.rawValue, StatePaint.of(run.state))
    if run.state.isFinal {
      let took = DurationText.format(from: run.startedAt, to: run.endedAt)
      line += (took.isEmpty ? "" : " in \(took)") + " (\(RunText.counts(run)))"
      if let reason = run.reason { line += ": \(TerminalText.visible(reason))" }
    }
    TextOutput.standard.writeLine(line)
  }
}
