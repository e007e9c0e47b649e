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
    abstract: "List what could have started runs, and what came of it.",
    discussion: """
      An occasion is an instant of a schedule, what a controller told, a condition \
      that turned true, or a request. Each has its run, or the reason why there is \
      none. The latest come first, by WHEN: their instants, and of those without one \
      when somebody heard of them. --label is about the runs, and about the pipeline \
      where there is no run.

        penstock occasions
        penstock occasions nightly --since yesterday
        penstock occasions --skipped
        penstock occasions --label team=web
      """)

  @Argument(
    help: ArgumentHelp("Only those of this pipeline; * and ? stand for any characters.", valueName: "name"),
    completion: ArgumentCompletion.servedPipelines)
  var pipeline: String?

  @OptionGroup var labels: LabelFilterOptions

  @OptionGroup var span: SpanOptions

  @Flag(help: "Only those that no run came of.")
  var skipped = false

  @Option(help: ArgumentHelp("The most occasions to show; 0 for all.", valueName: "number"))
  var limit = 30

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if limit < 0 { throw ValidationError("--limit needs a number from 0.") }
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
