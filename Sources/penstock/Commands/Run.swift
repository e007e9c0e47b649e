import ArgumentParser
import PipelineEngine
import PipelineLanguage
import RunHistory

struct Run: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "run",
    abstract: "Run a pipeline file.",
    discussion: """
      The file is checked first; nothing starts when it has errors. On a terminal,
      a live tree shows what goes on; in a pipe or in the background, plain lines.
      Ctrl-C cancels the run, with its handlers; pressed again, it kills its
      processes.

        penstock run nightly.yaml -p date=2026-11-20 -p limit=5
        penstock run nightly.yaml --dry-run
        penstock run nightly.yaml --from upload     take the rest from the last run
        penstock run nightly.yaml --json | jq .

      Exits with 0 when the run succeeded, 1 when it failed, 2 when the file or a
      param is wrong, 3 when the engine failed, 130 when the run was cancelled.

      What it reports as ended survives a power loss; PENSTOCK_DURABILITY=process
      saves the wait for the disk.
      """)

  @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
  var file: String

  @Option(
    name: [.customShort("p"), .customLong("param")],
    help: ArgumentHelp("A param of the pipeline; may be given once for each.", valueName: "name=value"))
  var parameters: [String] = []

  @Flag(help: "Show what would run, with which injections, and what is known already. Runs nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Run this operation and all that depend on it; take the rest from the latest run.", valueName: "operation"))
  var from: String?

  @Option(
    help: ArgumentHelp("Run this operation alone; take what it needs from the latest run.", valueName: "operation"))
  var only: String?

  @Flag(
    help:
      "Keep running it until Ctrl-C: when one of its files changes, its rerun_on_change says so, or its controllers do."
  )
  var watch = false

  @Flag(help: "With --watch: run it at once, also where a controller or automatic says when.")
  var now = false

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if from != nil, only != nil { throw ValidationError("Choose one of --from and --only.") }
    if watch, dryRun || from != nil || only != nil {
      throw ValidationError("--watch runs the whole pipeline; it goes without --dry-run, --from and --only.")
    }
    if now, !watch { throw ValidationError("--now goes with --watch; without it, the pipeline runs at once anyway.") }
  }

  func runInForeground() async throws -> ExitStatus {
    if watch { return try await watchFile() }
    let pluginHost = plugins.host()
    let pipeline = try PipelineFileLoading.load(file, options: shared, plugins: .host(pluginHost))
    var options = RunOptions()
    options.version = Version.current
    options.parameters = try RunParameters.resolve(parameters, for: pipeline)
    options.selection = try selection(in: pipeline)
    if dryRun {
      let location = try shared.location(for: file)
      let history = location.hasDatabase ? try History.open(at: location.path, mode: .readOnly) : nil
      options.source = try source(for: pipeline, in: history)
      try DryRun(pipeline: pipeline, options: options, history: history, shared: shared).show()
      return .succeeded
    }
    let host = try shared.openHost(for: file, plugins: .host(pluginHost))
    tellOfControllers(of: pipeline)
    options.source = try source(for: pipeline, in: host.history)
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

  /// Says that nothing starts the pipeline again.
  private func tellOfControllers(of pipeline: PipelineDefinition) {
    guard !pipeline.controllers.isEmpty, !shared.quiet else { return }
    let names = pipeline.controllers.map(\.use.offer).joined(separator: ", ")
    let (noun, verb) = pipeline.controllers.count == 1 ? ("controller", "is") : ("controllers", "are")
    TextOutput.error.writeLine(
      "penstock: the \(noun) \(names) \(verb) inactive in a single run; `penstock run --watch` activates \(pipeline.controllers.count == 1 ? "it" : "them")"
    )
  }

  private func watchFile() async throws -> ExitStatus {
    let pluginHost = plugins.host()
    let load: @Sendable () -> WatchSession.Loaded = { [file, parameters, shared] in
      let moment = FileClock.now()
      let result = PipelineLoader.load(path: file, plugins: .host(pluginHost))
      let files = result.sources.isEmpty ? [file] : result.sources.map(\.path)
      return WatchSession.Loaded(
        files: files, moment: moment,
        content: Result {
          let pipeline = try PipelineFileLoading.accept(result, options: shared)
          var options = RunOptions()
          options.version = Version.current
          options.parameters = try RunParameters.resolve(parameters, for: pipeline)
          return (pipeline, options)
        })
    }
    // What is wrong from the beginning is a mistake of the call.
    _ = try load().content.get()
    let host = try shared.openHost(for: file, plugins: .host(pluginHost))
    let result = await Result { try await WatchSession(host: host, shared: shared, startsNow: now, load: load).run() }
    await pluginHost.shutDown()
    return try result.get()
  }

  private func selection(in pipeline: PipelineDefinition) throws -> RunOptions.Selection {
    guard let name = from ?? only else { return .all }
    try RunParameters.requireOperation(name, in: pipeline)
    return from != nil ? .from(operation: name) : .only(operation: name)
  }

  private func source(for pipeline: PipelineDefinition, in history: History?) throws -> RunID? {
    guard from != nil || only != nil else { return nil }
    let ended: Set<RunState> = [.succeeded, .failed, .cancelled, .interrupted]
    return try history?.runs(RunFilter(pipeline: pipeline.name, states: ended, limit: 1)).first?.id
  }
}

extension Result where Failure == any Error {
  /// What an asynchronous body comes to.
  init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
