import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import Schedules
import Synchronization
import Values

struct BackfillCommand: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "backfill",
    abstract: "Run a pipeline once for each instant in a time range",
    discussion: """
      Starts one run after the other; each finds its instant in `run.at`. Skips an instant whose latest run \
      succeeded, and resumes one whose run was interrupted, so repeating the command runs only what is missing \
      or did not succeed. Days begin at midnight in the time zone.

        penstock backfill nightly.yaml --from 2026-11-01 --to 2026-11-30
        penstock backfill hourly.yaml --from '2026-11-01 06:00' --to 2026-11-02 --every 1h
        penstock backfill nightly.yaml --from 2026-11-01 --to 2026-11-30 --dry-run

      Ctrl-C cancels the current run and starts no more. Exits with 0 when every instant has a run that \
      succeeded, 1 when one has not, 130 when cancelled.
      """)

  @Argument(
    help: ArgumentHelp(PipelineFileLoading.help, valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var givenFile: String?

  @Option(
    help: ArgumentHelp("The first instant: 2026-11-01, '2026-11-01 18:30', or a timestamp", valueName: "time"))
  var from: String

  @Option(help: ArgumentHelp("The last instant, in the same form", valueName: "time"))
  var to: String

  @Option(help: ArgumentHelp("The time between instants, such as 1d, 1h or 15m", valueName: "duration"))
  var every = "1d"

  @Option(
    help: ArgumentHelp(
      "The time zone of days and times, such as Europe/Berlin, or local for the computer's",
      valueName: "zone"))
  var zone = "local"

  @Option(
    name: [.customShort("p"), .customLong("param")],
    help: ArgumentHelp("Set a param of the pipeline (may be repeated)", valueName: "name=value"),
    completion: ArgumentCompletion.parameters)
  var parameters: [String] = []

  @OptionGroup var parameterFiles: ParameterFileOptions

  @OptionGroup var labels: LabelOptions

  @Flag(help: "List the instants and the runs they have; run nothing")
  var dryRun = false

  @Flag(help: "Stop after the first run that does not succeed")
  var stopOnFailure = false

  @OptionGroup var config: HostFileOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func runInForeground() async throws -> ExitStatus {
    let instants = try series()
    let file = try PipelineFileLoading.file(givenFile)
    let host = try config.host(shared)
    let shared = shared.serving(host)
    let pluginHost = plugins.host()
    let pipeline = try PipelineFileLoading.load(file, options: shared, plugins: .host(pluginHost), host: host)
    let start = try RunStart(
      of: pipeline, given: ParameterArgument.parse(parameters),
      values: parameterFiles.values(for: pipeline, of: file, shared), labels: labels.labels(), version: Version.current)
    if dryRun {
      let location = try shared.location(for: file)
      let history = location.hasDatabase ? try History.open(at: location.path, mode: .readOnly) : nil
      try list(instants, of: pipeline.name, in: history)
      return .succeeded
    }
    let service = try shared.openService(for: file, plugins: .host(pluginHost), of: host)
    let result = await Result { try await run(instants, start, in: service) }
    switch result {
    case .success: try await service.finish()
    // Closing retries what could not be written.
    case .failure: try? await service.close()
    }
    await pluginHost.shutDown()
    return try result.get()
  }

  // MARK: - Instants

  private func series() throws -> [RecordTime] {
    let rules = try rules()
    let (first, last) = (try time(from, "--from", rules), try time(to, "--to", rules))
    guard first <= last else {
      throw CommandFailure("--from (\(first.text)) must not be after --to (\(last.text))")
    }
    guard let step = DurationNotation.parse(every), step >= .seconds(1) else {
      throw CommandFailure("--every takes a duration of at least 1s, such as 1d or 15m, not '\(every)'")
    }
    guard let instants = InstantSeries.instants(from: first, through: last, every: step, zone: rules) else {
      throw CommandFailure(
        "there are more than \(InstantSeries.longest) instants between --from and --to; use a longer --every, or a shorter range"
      )
    }
    return instants
  }

  private func rules() throws -> TimeZoneRules {
    let database = TimeZoneDatabase.system
    do throws(TimeZoneError) {
      return try database.zone(zone)
    } catch {
      throw CommandFailure(database.explain(error) { NearestName.suggestion(for: $0, among: $1) })
    }
  }

  private func time(_ text: String, _ option: String, _ rules: TimeZoneRules) throws -> RecordTime {
    guard let time = TimeFilter.parse(text, zone: rules) else {
      throw CommandFailure(
        "\(option) cannot read the time '\(text)'; write today, yesterday, 2026-11-01, '2026-11-01 18:30' or a timestamp"
      )
    }
    return time
  }

  /// Formats an instant in the given zone, with the offset unless it is the local zone.
  private func clock(_ instant: RecordTime) throws -> String {
    guard zone != "local" else { return ClockText.dateAndTime(instant) }
    return try rules().format(UnixTime(instant.secondsSince1970.rounded(.down)))
  }

  // MARK: - Listing

  private func list(_ instants: [RecordTime], of pipeline: String, in history: History?) throws {
    let known = try history?.latestRuns(of: pipeline, standingFor: instants[0]...instants[instants.count - 1]) ?? [:]
    try shared.output.print {
      instants.lazy.map { BackfillLine.json($0, known[$0]) }
    } text: {
      var table = Table([.init("AT"), .init("LATEST RUN") { StatePaint.ofWord($0) }, .init("RUN"), .init("WOULD")])
      for instant in instants {
        let former = known[instant]
        table.add(
          try clock(instant), former?.state.rawValue ?? "none", former?.id.short ?? "",
          BackfillLine.text(BackfillStep(after: former)))
      }
      TextOutput.standard.write(table.render(width: shared.tableWidth, style: shared.style))
      if !shared.quiet { TextOutput.standard.writeLine("\nDry run: nothing was run.") }
    }
  }

  // MARK: - Running

  private func run(_ instants: [RecordTime], _ start: RunStart, in service: RunService) async throws -> ExitStatus {
    let backfill = try await Backfill(start, in: service)
    let interruption = BackfillInterruption()
    var tally = BackfillTally(of: instants.count)
    for (index, instant) in instants.enumerated() where tally.goesOn {
      let former = try backfill.latest(for: instant)
      let step = BackfillStep(after: former)
      try tell(index + 1, of: instants.count, instant, former, step)
      switch step {
      case .nothing: tally.before += 1
      case .leave: tally.elsewhere += 1
      case .run, .runAgain, .resume:
        let outcome = try await present(instant, start.pipeline, after: former, backfill, service, interruption)
        tally.add(outcome.run, for: instant, isInterrupted: interruption.hasCome, stopsOnFailure: stopOnFailure)
        if outcome.run.state == .succeeded, shared.output.isTalkative {
          TextOutput.standard.writeLine("  " + Conclusion.line(of: outcome.run, style: shared.style))
          TextOutput.standard.flush()
        }
      }
    }
    try await backfill.end()
    try shared.output.confirm(tally.jsonValue) {
      TextOutput.standard.writeLine(tally.text)
      for line in try tally.failureLines(clock: clock) { TextOutput.standard.writeLine(TerminalText.visible(line)) }
    }
    return tally.status
  }

  /// Runs the pipeline for one instant and shows failures; with `--json`, it shows everything.
  private func present(
    _ instant: RecordTime, _ pipeline: PipelineDefinition, after former: RunRecord?, _ backfill: Backfill,
    _ service: RunService, _ interruption: BackfillInterruption
  ) async throws -> RunOutcome {
    var presentation = shared.presentation(of: pipeline, in: service)
    presentation.isQuiet = true
    presentation.isResumed = former.map { BackfillStep(after: $0) == .resume } ?? false
    let session = RunSession(
      service: service, presentation: presentation, endsProcess: false, onInterruption: { interruption.come() })
    return try await session.present { [events = presentation.events] in
      try await backfill.run(for: instant, after: former, events: events, onEvent: $0)
    }
  }

  private func tell(
    _ number: Int, of count: Int, _ instant: RecordTime, _ former: RunRecord?, _ step: BackfillStep
  ) throws {
    try shared.output.confirm(BackfillLine.json(instant, former, number: number, of: count)) {
      var line = "\(number) of \(count): \(try clock(instant))"
      if let former { line += ", \(BackfillLine.text(step)): run \(former.id.short) \(former.state.rawValue)" }
      TextOutput.standard.writeLine(line)
      TextOutput.standard.flush()
    }
  }
}

/// A flag that a signal sets to end the backfill.
private final class BackfillInterruption: Sendable {
  private let flag = Atomic(false)

  var hasCome: Bool { flag.load(ordering: .sequentiallyConsistent) }

  func come() { flag.store(true, ordering: .sequentiallyConsistent) }
}
