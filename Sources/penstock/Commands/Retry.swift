import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory

struct Retry: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "retry",
    abstract: "Run again what failed, with the results of what succeeded.",
    discussion: """
      Starts a new run with the params of the former one, from the file as it is
      now (or as it was recorded, with --recorded, or when the file is gone).
      Operations that succeeded are taken over. Without a run, takes the latest
      one that failed, was cancelled or was interrupted, and that no retry has
      made good since.

        penstock retry
        penstock retry --dry-run
        penstock retry 03kx9fab -p limit=5
        penstock retry 03kx9fab --from upload
      """)

  @Argument(help: ArgumentHelp("The run: its id or the beginning of it, or `last`.", valueName: "run"))
  var runName: String?

  @Option(
    help: ArgumentHelp(
      "Run this operation and all that depend on it again, whether they succeeded or not.", valueName: "operation"))
  var from: String?

  @Option(
    name: [.customShort("p"), .customLong("param")],
    help: ArgumentHelp(
      "A param that has another value than in the former run; may be given once for each.", valueName: "name=value"))
  var parameters: [String] = []

  @Flag(help: "Show what would run, and what would be taken over. Runs nothing.")
  var dryRun = false

  @Flag(help: "Use the definition that is recorded with the run, not the file as it is now.")
  var recorded = false

  @OptionGroup var display: OutputOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func runInForeground() async throws -> ExitStatus {
    let pluginHost = plugins.host()
    let service = try shared.openService(plugins: .host(pluginHost))
    let former = try RetriedRun(named: runName, in: service.history)
    let loaded = try former.load(wantsRecorded: recorded, plugins: .host(pluginHost))
    let pipeline = try PipelineFileLoading.accept(loaded.result, options: shared)
    if !shared.quiet { tell(of: former.record, loaded) }
    let start = try RunStart(
      repeating: former.record, with: pipeline, given: ParameterArgument.parse(parameters), from: from,
      version: Version.current)
    if dryRun {
      try DryRun(start: start, history: service.history, shared: shared).show()
      await pluginHost.shutDown()
      return .succeeded
    }
    var presentation = shared.presentation(of: pipeline, in: service)
    try display.apply(to: &presentation)
    let session = RunSession(service: service, presentation: presentation)
    let result = await Result {
      try await session.present {
        try await service.run(start, events: session.presentation.events, onEvent: $0)
      }
    }
    await pluginHost.shutDown()
    return ExitStatus(of: try result.get().run)
  }

  /// Says which run is taken where nobody named one, and what is used in place of its file.
  private func tell(of run: RunRecord, _ loaded: RetriedRun.Loaded) {
    if runName == nil {
      let name = TerminalText.visible(run.pipeline)
      let time = ClockText.ago(run.endedAt ?? run.createdAt)
      TextOutput.error.writeLine(
        "penstock: retries run \(run.id.short) of \(name), which \(run.state == .failed ? "" : "was ")\(run.state.rawValue) \(time)"
      )
    }
    if let path = loaded.changedFile {
      TextOutput.error.writeLine(
        "penstock: '\(TerminalText.visible(path))' has changed since; it is run as it is now (--recorded runs it as it was)"
      )
    } else if let path = loaded.missingFile {
      TextOutput.error.writeLine(
        "penstock: '\(TerminalText.visible(path))' cannot be read any more; what was recorded of it is run")
    }
  }
}
