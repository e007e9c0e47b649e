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
      one that failed, was cancelled or was interrupted.

        penstock retry
        penstock retry 03kx9fab --from upload
      """)

  @Argument(help: ArgumentHelp("The run: its id or the beginning of it, or `last`.", valueName: "run"))
  var runName: String?

  @Option(
    help: ArgumentHelp(
      "Run this operation and all that depend on it again, whether they succeeded or not.", valueName: "operation"))
  var from: String?

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
    if let path = loaded.changedFile, !shared.quiet {
      TextOutput.error.writeLine(
        "penstock: '\(TerminalText.visible(path))' has changed since; it is run as it is now (--recorded runs it as it was)"
      )
    }
    let start = try RunStart(repeating: former.record, with: pipeline, from: from, version: Version.current)
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
}
