import ArgumentParser
import PipelineEngine
import PipelineLanguage
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

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func runInForeground() async throws -> ExitStatus {
    let pluginHost = plugins.host()
    let host = try shared.openHost(plugins: .host(pluginHost))
    let history = host.history
    let reference = RunReference(history: history)
    let record = try find(in: history, reference)
    guard record.state.isFinal else {
      throw CommandFailure(RunNotResumable.message(of: record, short: reference.short(record.id), in: history))
    }
    let pipeline = try definition(of: record, in: history, plugins: .host(pluginHost))
    var options = RunOptions()
    options.version = Version.current
    options.trigger = .retry
    options.source = record.id
    options.parameters = try RunParameters.resolve(recorded: record.params, for: pipeline)
    if let from {
      try RunParameters.requireOperation(from, in: pipeline)
      options.selection = .from(operation: from)
    }
    let chosen = options
    let session = RunSession(host: host, presentation: shared.presentation(of: pipeline, in: host))
    let result = await Result {
      try await session.present {
        try await host.run(pipeline, options: chosen, events: session.presentation.events, onEvent: $0)
      }
    }
    await pluginHost.shutDown()
    return ExitStatus(of: try result.get().run)
  }

  private func find(in history: History, _ reference: RunReference) throws -> RunRecord {
    if let runName { return try reference.find(runName) }
    if let latest = try history.latestRun(for: .retry) { return latest }
    throw CommandFailure(
      "no run in '\(history.workspace.directory)' failed, was cancelled or was interrupted; `penstock history list` shows the runs"
    )
  }

  private func definition(
    of record: RunRecord, in history: History, plugins: PluginSource
  ) throws -> PipelineDefinition {
    let path = record.path ?? "\(record.pipeline).yaml"
    let text = try history.definition(of: record.id) ?? ""
    if !recorded, record.path != nil, FileReader.exists(path) {
      let pipeline = try PipelineFileLoading.load(path, options: shared, plugins: plugins)
      if pipeline.source.text != text, !shared.quiet {
        TextOutput.error.writeLine(
          "penstock: '\(TerminalText.visible(path))' has changed since; it is run as it is now (--recorded runs it as it was)"
        )
      }
      return pipeline
    }
    return try PipelineFileLoading.accept(
      PipelineLoader.load(
        text: text, path: path, nested: try history.nestedDefinitions(of: record.id), plugins: plugins, isRecorded: true
      ),
      options: shared
    )
  }
}
