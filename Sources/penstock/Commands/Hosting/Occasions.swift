import ArgumentParser
import Expressions
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct Occasions: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "occasions",
    abstract: "List what triggered runs, or why no run was started",
    discussion: """
      An occasion is anything that could start a run: an instant of a schedule, an event of a trigger, a \
      condition that became true, or a request. Each has its run, or the reason why there is none. Lists the \
      latest first, by WHEN: the instant of the occasion, or the time it was recorded. --label matches the \
      labels of runs, and of the pipeline where there is no run.

        penstock occasions
        penstock occasions nightly --since yesterday
        penstock occasions --skipped
        penstock occasions --label team=web
      """)

  @Argument(
    help: ArgumentHelp("Only occasions of this pipeline; * and ? are wildcards", valueName: "name"),
    completion: ArgumentCompletion.servedPipelines)
  var pipeline: String?

  @OptionGroup var labels: LabelFilterOptions

  @OptionGroup var span: SpanOptions

  @Flag(help: "Only occasions without a run")
  var skipped = false

  @Option(help: ArgumentHelp("Show at most this many occasions; 0 for all", valueName: "number"))
  var limit = 30

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if limit < 0 { throw ValidationError("--limit must be 0 or more.") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    var filter = OccasionFilter()
    filter.pipeline = pipeline
    (filter.since, filter.until) = try span.span()
    filter.isSkipped = skipped
    filter.labels = try labels.labels()
    filter.limit = limit == 0 ? nil : limit
    guard let history = try shared.openHistory() else { return }
    let occasions = try history.occasions(filter)
    // A pattern is allowed to match nothing.
    if occasions.isEmpty, let pipeline, !pipeline.contains(where: { "*?[".contains($0) }) {
      try history.requireKnown(pipeline: pipeline)
    }
    shared.output.print(lines: { occasions.map { $0.jsonValue() } }) {
      guard !occasions.isEmpty else {
        if !shared.quiet { TextOutput.standard.writeLine("No occasions.") }
        return
      }
      let reference = RunReference(history: history)
      var table = Table([
        .init("PIPELINE"), .init("WHEN", keeping: Table.time), .init("CAUSE"), .init("OUTCOME"),
        .init("RUN", keeping: Table.id), .init("LATE", right: true), .init("REASON", sentences: true),
      ])
      for occasion in occasions {
        let late = occasion.lateMilliseconds.map { DurationText.format(microseconds: Int64($0 * 1000)) }
        table.add(
          occasion.pipeline, ClockText.dateAndTime(occasion.time),
          occasion.controller ?? occasion.askedBy.map { "\(occasion.cause.rawValue) by \($0)" }
            ?? occasion.cause.rawValue,
          occasion.outcome.rawValue, occasion.ownRun.map(reference.short) ?? "", late ?? "",
          occasion.because(short: reference.short, canceller: reference.canceller) ?? ""
        )
      }
      TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
    }
  }
}
