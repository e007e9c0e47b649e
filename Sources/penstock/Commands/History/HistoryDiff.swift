import ArgumentParser
import PipelineService
import RunHistory
import RunReports
import Values

struct HistoryDiff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two runs",
    discussion: """
      Compares definition, params, variables of files, results, how operations ended, how long they took and \
      what they wrote. Given one run, compares it with the latest earlier run of its pipeline that succeeded. \
      Shows durations only where one is at least twice the other and half a second longer.

        penstock history diff last
        penstock history diff 03kx9fab 03kx9fac --logs
      """)

  @Argument(
    help: ArgumentHelp("A run: its id, the beginning of it, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs())
  var first: String

  @Argument(
    help: ArgumentHelp("The run to compare it with", valueName: "other"), completion: ArgumentCompletion.runs())
  var second: String?

  @Flag(help: "Show the log lines that differ, not only their number")
  var logs = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistory()
    let reference = RunReference(history: history)
    var pair = (try reference.find(first), try second.map { try reference.find($0) })
    if pair.1 == nil {
      let bad = pair.0
      let filter = RunFilter(
        pipeline: bad.pipeline, states: [.succeeded], until: bad.createdAt, includesNested: bad.parent != nil, limit: 1)
      guard let good = try history.runs(filter).first else {
        throw CommandFailure(
          "no earlier run of \(bad.pipeline) succeeded; name a run to compare \(reference.short(bad.id)) with")
      }
      pair = (good, bad)
    }
    guard let other = pair.1, let left = try history.loadForResume(pair.0.id),
      let right = try history.loadForResume(other.id)
    else { return }
    let comparison = try RunComparison(left, right, in: history)
    shared.output.print(comparison.jsonValue()) {
      ComparisonText(comparison: comparison, reference: reference, style: shared.style, showsLogs: logs).print()
    }
  }
}
