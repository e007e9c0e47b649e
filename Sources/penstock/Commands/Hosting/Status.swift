import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "status",
    abstract: "Show the host of the workspace and the pipelines it serves",
    discussion: """
      Shows the state of each pipeline, its latest runs (the latest on the right), when it is due next, and why \
      it does not run. --watch continues until Ctrl-C and updates after each change; in a pipe and with --json, \
      prints everything again.

      The runs are: \(StatePaint.legend).

        penstock status
        penstock status nightly hourly
        penstock status --label team=web --json
        penstock status --watch
      """)

  @Argument(
    help: ArgumentHelp("Only these pipelines", valueName: "name"), completion: ArgumentCompletion.servedPipelines)
  var names: [String] = []

  @OptionGroup var labels: LabelFilterOptions

  @Flag(help: "Keep showing it, updated after each change, until Ctrl-C")
  var watch = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let labels = try labels.labels()
    guard let history = try watch ? shared.requireHistory() : shared.openHistory() else { return }
    for name in names { _ = try history.servedPipeline(name) }
    guard watch else { return try show(report(in: history, labels), in: history) }
    var report = try report(in: history, labels)
    guard shared.output.format != .text || !WatchScreen.isPossible else {
      return try WatchScreen(follow: history.followStatus, isOutdated: { try report.whole.isOutdated(in: history) }) {
        size in
        report = try self.report(in: history, labels)
        let (width, height) = (size.columns - 1, max(3, size.rows - 1))
        return layout(of: report, in: history, width: width, height: height).lines()
      }.show()
    }
    let changes = ChangeWait()
    let subscriptions = try history.followStatus { changes.end() }
    defer { subscriptions.forEach { $0.cancel() } }
    var shown: String?
    while !TextOutput.standard.isGone {
      report = try self.report(in: history, labels)
      // Many changes do not affect the output.
      let text = "\(report.value)"
      if text != shown {
        if shown != nil, shared.output.format == .text { TextOutput.standard.writeLine("") }
        try show(report, in: history)
        TextOutput.standard.flush()
        shown = text
      }
      repeat {
      } while try !changes.wait(milliseconds: Self.longestWait) && !TextOutput.standard.isGone
        && !report.whole.isOutdated(in: history)
    }
  }

  /// The maximum wait in milliseconds before checking that the host is still running: a host that dies sends no notification.
  private static let longestWait: Int32 = 1000

  /// The content of the output.
  private struct Shown {
    var whole: StatusReport
    var entries: [StatusReport.Entry]

    var value: JSONValue { whole.jsonValue(of: entries) }
  }

  private func report(in history: History, _ labels: [RunLabel]) throws -> Shown {
    let report = try StatusReport(of: Set(names), in: history)
    return Shown(whole: report, entries: report.entries.filter { $0.pipeline.has(labels) })
  }

  private func show(_ report: Shown, in history: History) throws {
    shared.output.print(report.value) {
      let layout = layout(of: report, in: history, width: shared.tableWidth)
      TextOutput.standard.write(layout.lines().map { $0 + "\n" }.joined())
    }
  }

  private func layout(of report: Shown, in history: History, width: Int?, height: Int? = nil) -> StatusLayout {
    StatusLayout(
      report: report.whole, entries: report.entries, workspace: history.workspace.directory, style: shared.style,
      width: width, height: height)
  }
}
