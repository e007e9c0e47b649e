import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct HistoryPrune: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete old runs and their logs",
    discussion: """
      Deletes only runs that have ended and match all options. Keeps a run whose result file a later run reuses, \
      and an interrupted run unless --interrupted is given. Without --older-than and --keep, applies the \
      'retention' of each pipeline. --dry-run lists the runs, nested ones after those that started them.

        penstock history prune
        penstock history prune --older-than 30d
        penstock history prune --keep 100 --pipeline nightly --dry-run
      """)

  @Option(
    help: ArgumentHelp("Delete runs created before this time: 30d (ago), 2026-11-20, or a timestamp", valueName: "time")
  )
  var olderThan: String?

  @Option(help: ArgumentHelp("Keep this many of the latest runs of each pipeline", valueName: "number"))
  var keep: Int?

  @Option(
    help: ArgumentHelp("Only runs of this pipeline; * and ? are wildcards", valueName: "name"),
    completion: ArgumentCompletion.pipelines)
  var pipeline: String?

  @OptionGroup var labels: LabelFilterOptions

  @Flag(help: "Also delete interrupted runs, which then cannot be resumed")
  var interrupted = false

  @Flag(help: "List what would be deleted, and delete nothing")
  var dryRun = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if let keep, keep < 0 { throw ValidationError("--keep must be 0 or more.") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let olderThan = try FilterOptions.time(olderThan, option: "--older-than")
    let labels = try labels.labels()
    let history = try shared.requireHistory(writing: !dryRun)
    var rules = [PruneRule(olderThan: olderThan, keep: keep, pipeline: pipeline)]
    if olderThan == nil, keep == nil {
      rules = try history.retentions(pipeline: pipeline).map { PruneRule($0.retention, of: $0.pipeline) }
      guard !rules.isEmpty else {
        throw CommandFailure(
          "no pipeline\(pipeline == nil ? "" : " that --pipeline names") has a 'retention'; "
            + "say what to delete with --older-than TIME, --keep NUMBER, or both")
      }
    }
    for index in rules.indices {
      rules[index].includesInterrupted = interrupted
      rules[index].labels = labels
    }
    var report = PruneReport()
    var removal = RunDirectories.Removal()
    for rule in rules { try prune(rule, in: history, &report, &removal) }
    if dryRun, shared.output.isTalkative { try list(report.runs, in: history) }
    print(report, removal)
    guard removal.failures.isEmpty else {
      throw CommandFailure(
        "some logs could not be deleted from '\(history.workspace.directory)/runs':\n  "
          + removal.failures.prefix(10).map { TerminalText.visible($0) }.joined(separator: "\n  "),
        status: .engineFailed)
    }
  }

  private func prune(
    _ rule: PruneRule, in history: History, _ whole: inout PruneReport, _ removal: inout RunDirectories.Removal
  ) throws {
    let (report, part) = try Pruning(history, for: Requester(QuestionAnswer.loginName())).run(rule, dryRun: dryRun)
    removal.add(part)
    whole.runs += report.runs
    whole.operations += report.operations
    whole.attempts += report.attempts
  }

  private func list(_ runs: [RunID], in history: History) throws {
    guard !runs.isEmpty else { return }
    var table = Table([
      .init("RUN"), .init("PIPELINE"), .init("STATE") { StatePaint.ofWord($0) }, .init("STARTED"),
      .init("LOGS AND RESULTS", right: true),
    ])
    let reference = RunReference(history: history)
    let directories = RunDirectories(workspace: history.workspace.directory)
    for id in runs {
      guard let run = try history.run(id) else { continue }
      table.add(
        reference.short(id), (run.parent == nil ? "" : "  ") + run.pipeline, run.state.rawValue,
        ClockText.dateAndTime(run.startedAt ?? run.createdAt), SizeNotation.format(directories.size(of: [id])))
    }
    TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style) + "\n")
  }

  private func print(_ report: PruneReport, _ removal: RunDirectories.Removal) {
    let value: JSONValue = [
      "runs": .array(report.runs.map { .string($0.text) }), "operations": JSONValue(report.operations),
      "attempts": JSONValue(report.attempts), "log_bytes": .int(removal.bytes), "dry_run": .bool(dryRun),
    ]
    shared.output.confirm(value) {
      let counts =
        "\(Count.of(report.runs.count, "run")), \(Count.of(report.operations, "operation")), "
        + "\(Count.of(report.attempts, "attempt")), \(SizeNotation.format(removal.bytes)) of logs and results"
      TextOutput.standard.writeLine(dryRun ? "Would delete \(counts)." : "Deleted \(counts).")
    }
  }
}
