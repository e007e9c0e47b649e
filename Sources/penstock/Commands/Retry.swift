import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import Values

struct Retry: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "retry",
    abstract: "Run a failed run again, keeping what succeeded",
    discussion: """
      Starts a new run with the params of the previous one, from the file as it is now (with --recorded, or if \
      the file is gone, from the recorded definition). Reuses the operations that succeeded, unless their \
      definition or a param they name has changed: those run again, with everything that depends on them. \
      Secrets are not compared.

      Without a run, takes the latest run of any pipeline that failed or was interrupted and has not been \
      retried since, and says which. A run that somebody cancelled is retried only by its id. If a host serves \
      the pipeline, the run is queued there; --follow shows it.

        penstock retry
        penstock retry --pipeline nightly
        penstock retry --dry-run
        penstock retry 03kx9fab -p limit=5
        penstock retry 03kx9fab --from upload --from notify
        penstock retry 03kx9fab --force
        penstock retry 03kx9fab --here
      """)

  @Argument(
    help: ArgumentHelp("The run: its id, the beginning of it, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs([.failed, .cancelled, .interrupted]))
  var runName: String?

  @Option(
    help: ArgumentHelp(
      "Without a run, take the latest of this pipeline; * and ? are wildcards", valueName: "name"),
    completion: ArgumentCompletion.pipelines)
  var pipeline: String?

  @Option(
    help: ArgumentHelp(
      "Run this operation again, and all that depend on it, even if they succeeded (may be repeated)",
      valueName: "operation"), completion: ArgumentCompletion.operations)
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run only this operation again (may be repeated)", valueName: "operation"),
    completion: ArgumentCompletion.operations)
  var only: [String] = []

  @Flag(help: "Run all operations again, even those that succeeded")
  var force = false

  @Option(
    name: [.customShort("p"), .customLong("param")],
    help: ArgumentHelp(
      "Change a param of the previous run (may be repeated)", valueName: "name=value"),
    completion: ArgumentCompletion.parameters)
  var parameters: [String] = []

  @OptionGroup var parameterFiles: ParameterFileOptions

  @OptionGroup var labels: LabelOptions

  @Flag(help: "Show what would run and what would be reused; run nothing")
  var dryRun = false

  @Flag(help: "Use the definition recorded with the run, not the current file")
  var recorded = false

  @OptionGroup var place: HostPlaceOptions

  @OptionGroup var display: OutputOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if runName != nil, pipeline != nil {
      throw ValidationError("Give either a run or --pipeline, not both.")
    }
    if force, !from.isEmpty || !only.isEmpty {
      throw ValidationError("--force runs all operations; leave out --from and --only.")
    }
  }

  func runInForeground() async throws -> ExitStatus {
    let shared = try hostFile.serving(shared)
    let pluginHost = plugins.host()
    let service = try shared.openService(plugins: .host(pluginHost))
    let former = try RetriedRun(named: runName, of: pipeline, in: service.history)
    let loaded = try former.load(wantsRecorded: recorded, plugins: .host(pluginHost))
    let pipeline = try PipelineFileLoading.accept(loaded.result, options: shared)
    if !shared.quiet { tell(of: former, loaded) }
    let given = try ParameterArgument.parse(parameters)
    let files = try parameterFiles.read(for: pipeline, shared)
    let start = try RunStart(
      repeating: former.record, with: pipeline, given: given, values: files.values, labels: labels.labels(),
      selection: .init(from: from, only: only), isForced: force,
      version: Version.current)
    let retried = try start.retriedOperations(in: service.history)
    if dryRun {
      try DryRun(
        start: start, history: service.history, shared: shared, retried: retried,
        origins: files.origins(except: given.map(\.name))
      ).show()
      await pluginHost.shutDown()
      return .succeeded
    }
    try start.check(in: service.history)
    if !shared.quiet {
      for sentence in retried?.sentences ?? [] {
        TextOutput.error.writeMessage("penstock: \(TerminalText.visible(sentence))")
      }
    }
    if let host = try place.host(for: former.record, in: service.history, display, shared) {
      await pluginHost.shutDown()
      return try await queue(start, repeating: former.record, for: host, in: service.history, shared)
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

  /// Asks the host to retry the run.
  private func queue(
    _ start: RunStart, repeating former: RunRecord, for host: HostRecord, in history: History, _ shared: SharedOptions
  ) async throws -> ExitStatus {
    let reference = RunReference(history: history)
    let run = try start.queue(in: history, for: Requester(QuestionAnswer.loginName()))
    let short = reference.short(run)
    HostPlaceOptions.warn(of: host, shared)
    guard place.follow else {
      let value: JSONValue = [
        "run": .string(run.text), "pipeline": .string(former.pipeline), "retries": .string(former.id.text),
        "pid": JSONValue(Int(host.owner.pid)),
      ]
      shared.output.confirm(value) {
        TextOutput.standard.writeMessage(
          "Queued run \(short) of \(TerminalText.visible(former.pipeline)), which retries \(reference.short(former.id)), for the host in process \(host.owner.pid); follow it with `penstock attach \(short)`."
        )
      }
      return .succeeded
    }
    guard let record = try history.run(run) else { throw CommandFailure("run \(short) has been deleted") }
    return try await Attach.show(record, in: history, shared)
  }

  /// Reports which run was chosen if none was named, and what is used instead of its file.
  private func tell(of former: RetriedRun, _ loaded: RetriedRun.Loaded) {
    if let choice = former.choice {
      TextOutput.error.writeMessage("penstock: \(dryRun ? "would retry" : "retrying") \(choice)")
    }
    for path in loaded.changedFiles {
      TextOutput.error.writeMessage(
        "penstock: '\(TerminalText.visible(path))' has changed since; using the current file (--recorded uses the recorded definition)"
      )
    }
    for path in loaded.changedVariables {
      TextOutput.error.writeMessage(
        "penstock: variables in '\(TerminalText.visible(path))' have changed since; using the current values")
    }
    if let path = loaded.missingFile {
      TextOutput.error.writeMessage(
        "penstock: '\(TerminalText.visible(path))' can no longer be read; using the recorded definition")
    }
  }
}
