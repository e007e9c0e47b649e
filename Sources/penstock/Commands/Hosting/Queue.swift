import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct Queue: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "queue",
    abstract: "List queued runs and what they wait for",
    discussion: """
      Lists runs in the order in which they will start: by priority, then in turn between pipelines. BEFORE IT \
      counts the runs that start earlier, assuming that all take equally long. Runs of paused pipelines come \
      last.

        penstock queue
        penstock queue nightly --json
        penstock queue --label team=web
      """)

  @Argument(
    help: ArgumentHelp("Only runs of this pipeline", valueName: "name"), completion: ArgumentCompletion.servedPipelines
  )
  var pipeline: String?

  @OptionGroup var labels: LabelFilterOptions

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let labels = try labels.labels()
    let shared = try hostFile.serving(shared)
    guard let history = try shared.openHistory() else { return }
    if let pipeline { try history.requireKnown(pipeline: pipeline) }
    let report = try QueueReport(of: pipeline, labels: labels, in: history)
    let places = report.places
    shared.output.print(lines: { places.map { $0.jsonValue() } }) {
      guard !places.isEmpty else {
        if !shared.quiet { TextOutput.standard.writeLine("Nothing is queued.") }
        return
      }
      let reference = RunReference(history: history)
      var table = Table([
        .init("RUN", keeping: Table.id), .init("PIPELINE"), .init("QUEUE"), .init("PRIORITY", right: true),
        .init("QUEUED"), .init("BEFORE IT", right: true), .init("WAITS FOR", sentences: true),
      ])
      for place in places {
        table.add(
          reference.short(place.place.run), place.place.pipeline, place.place.queue, "\(place.place.priority)",
          ClockText.ago(place.place.askedAt), "\(place.before)", place.reason)
      }
      TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
      if report.left > 0 { TextOutput.standard.writeLine("… \(Count.of(report.left, "more run"))") }
    }
  }
}
