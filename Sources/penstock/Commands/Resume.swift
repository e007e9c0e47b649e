import ArgumentParser
import PipelineService

struct Resume: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "resume",
    abstract: "Go on with a run whose host has gone.",
    discussion: """
      Ends the processes that the former host has left behind, keeps every result \
      that is recorded, and executes the rest. Without a run, takes the latest one \
      that was interrupted.

        penstock resume
        penstock resume 03kx9fab
      """)

  @Argument(
    help: ArgumentHelp("The run: its id or the beginning of it, or `last`.", valueName: "run"),
    completion: ArgumentCompletion.runs([.interrupted]))
  var runName: String?

  @OptionGroup var display: OutputOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func runInForeground() async throws -> ExitStatus {
    let pluginHost = plugins.host()
    let service = try shared.openService(plugins: .host(pluginHost))
    let run = try ResumedRun(named: runName, in: service.history)
    var presentation = shared.presentation(of: run.pipeline, in: service)
    presentation.isResumed = true
    try display.apply(to: &presentation)
    let session = RunSession(service: service, presentation: presentation)
    let result = await Result {
      try await session.present {
        try await service.resume(run, version: Version.current, events: session.presentation.events, onEvent: $0)
      }
    }
    await pluginHost.shutDown()
    do {
      return ExitStatus(of: try result.get().run)
    } catch is CancellationError {
      // Nothing had been touched yet.
      return .cancelled
    }
  }
}
