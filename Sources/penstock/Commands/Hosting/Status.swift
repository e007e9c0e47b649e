import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "status",
    abstract: "Show the host of the workspace and the pipelines that it serves.",
    discussion: """
      Each pipeline has its state, its latest runs (the latest at the right), when it \
      is due next, and why it does not run.

        penstock status
        penstock status nightly hourly
        penstock status --label team=web --json
      """)

  @Argument(
    help: ArgumentHelp("Only these pipelines.", valueName: "name"), completion: ArgumentCompletion.servedPipelines)
  var names: [String] = []

  @OptionGroup var labels: LabelFilterOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let labels = try labels.labels()
    guard let history = try shared.openHistory() else { return }
    for name in names { _ = try history.servedPipeline(name) }
    let report = try StatusReport(of: Set(names), in: history)
    let entries = report.entries.filter { $0.pipeline.has(labels) }
    shared.output.print(report.jsonValue()) {
      TextOutput.standard.writeLine(hostLine(report, in: history))
      guard !entries.isEmpty else { return }
      let isUnicode = shared.style.isUnicode
      var table = Table([
        .init("PIPELINE"), .init("STATE", paint: { Self.paint($0) }), .init("RUNS"), .init("NEXT"), .init("REASON"),
      ])
      for entry in entries {
        let strip = entry.runs.reversed().map { StatePaint.glyph($0.state, isUnicode: isUnicode) }.joined()
        let next = report.next(of: entry).map { ClockText.dateAndTime($0) } ?? entry.pipeline.causes ?? "on request"
        table.add(
          entry.pipeline.name, entry.state, strip, next, TerminalText.oneLine(firstLine(of: entry.reason)))
      }
      TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
    }
  }

  /// A finding goes on with the line of the file that it is about.
  private func firstLine(of reason: String?) -> String {
    reason?.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
  }

  private func hostLine(_ report: StatusReport, in history: History) -> String {
    let workspace = TerminalText.visible(history.workspace.directory)
    guard let host = report.host else {
      return "No host has served the workspace '\(workspace)' yet; start one with `penstock serve`."
    }
    let counts = "\(report.running) running, \(report.queued) queued"
    switch host.state {
    case .stopped:
      return
        "No host serves '\(workspace)': the last one stopped \(ClockText.ago(host.endedAt ?? host.startedAt)); \(counts)."
    case .died:
      return "No host serves '\(workspace)': process \(host.owner.pid) on \(host.host) ended without a word; \(counts)."
    case .starting, .ready, .draining:
      return
        "Host \(host.state.rawValue) in process \(host.owner.pid) on \(host.host) since \(ClockText.dateAndTime(host.startedAt)): \(counts)."
    }
  }

  private static func paint(_ state: String) -> Style.Paint? {
    switch state {
    case "invalid": .boldRed
    case "running": .cyan
    case "paused", "queued": .yellow
    default: nil
    }
  }
}
