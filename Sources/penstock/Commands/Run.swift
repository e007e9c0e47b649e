import ArgumentParser
import OperatingSystem
import PipelineLanguage
import PipelineService
import RunHistory

struct Run: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "run",
    abstract: "Run a pipeline file",
    discussion: """
      Checks the file first, and starts nothing if it has errors. Shows a live tree on a terminal, plain lines \
      in a pipe or in the background. Ctrl-C cancels the run, with its handlers; pressed again, it kills its \
      processes.

        penstock run nightly.yaml -p date=2026-11-20 -p limit=5
        penstock run nightly.yaml --params staging.yaml
        penstock run                                pipeline.yaml in this directory
        penstock run nightly.yaml --dry-run
        penstock run nightly.yaml --from upload     take the rest from the last run
        penstock run nightly.yaml --force           reuse nothing
        penstock run nightly.yaml --at 2026-11-01   as if it had been due then
        penstock run nightly.yaml --json | jq .
        penstock run train.yaml --config host.yaml  with the resources of that host

      Exits with 0 when the run succeeded, 1 when it failed, 2 when the file or a param is wrong, 3 when the \
      engine failed, 130 when the run was cancelled.

      Everything reported as ended survives a power loss; PENSTOCK_DURABILITY=process saves the wait for the \
      disk.
      """)

  @Argument(
    help: ArgumentHelp(PipelineFileLoading.help, valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var givenFile: String?

  @Option(
    name: [.customShort("p"), .customLong("param")],
    help: ArgumentHelp("Set a param of the pipeline (may be repeated)", valueName: "name=value"),
    completion: ArgumentCompletion.parameters)
  var parameters: [String] = []

  @OptionGroup var parameterFiles: ParameterFileOptions

  @OptionGroup var labels: LabelOptions

  @Flag(help: "Show what would run, with which injections, and what would be reused; run nothing")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Run this operation and all that depend on it; take the rest from the latest run (may be repeated)",
      valueName: "operation"), completion: ArgumentCompletion.operations)
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run only this operation; take what it needs from the latest run (may be repeated)", valueName: "operation"),
    completion: ArgumentCompletion.operations)
  var only: [String] = []

  @Flag(help: "Run all operations, regardless of stale_when and stale_after")
  var force = false

  @Option(
    help: ArgumentHelp(
      "The instant that the run is for, as `run.at`: 2026-11-01, '2026-11-01 18:30', or a timestamp",
      valueName: "time"))
  var at: String?

  @Flag(
    help:
      "Run it again whenever its files change or its triggers ask for it, until Ctrl-C"
  )
  var watch = false

  @Flag(help: "With --watch, also run it at once, even if a trigger or automatic decides when")
  var now = false

  @Option(help: ArgumentHelp("Run all operations here, whatever 'executor' they name: local", valueName: "name"))
  var executor: ExecutorOverride?

  @OptionGroup var display: OutputOptions

  @OptionGroup var config: HostFileOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    let isPart = !from.isEmpty || !only.isEmpty
    if force, isPart { throw ValidationError("--force runs all operations; leave out --from and --only.") }
    if watch, dryRun || isPart {
      throw ValidationError("--watch runs the whole pipeline; leave out --dry-run, --from and --only.")
    }
    if watch, at != nil { throw ValidationError("--at applies to one run; leave out --watch.") }
    if watch, !display.results.isEmpty {
      throw ValidationError("--result applies to one run; leave out --watch.")
    }
    if now, !watch { throw ValidationError("--now needs --watch; without --watch, the pipeline runs at once anyway.") }
  }

  func runInForeground() async throws -> ExitStatus {
    let file = try PipelineFileLoading.file(givenFile)
    let host = try config.host(shared)
    let shared = shared.serving(host)
    if watch { return try await watch(file, in: host, shared) }
    let pluginHost = plugins.host()
    let pipeline = try PipelineFileLoading.load(
      file, options: shared, plugins: .host(pluginHost), host: host,
      checksExecutors: executor == nil)
    let given = try ParameterArgument.parse(parameters)
    let files = try parameterFiles.read(for: pipeline, of: file, shared)
    var start = try RunStart(
      of: pipeline, given: given, values: files.values, labels: labels.labels(),
      at: FilterOptions.time(at, option: "--at"),
      selection: .init(from: from, only: only), isForced: force, version: Version.current)
    if dryRun {
      let location = try shared.location(for: file)
      let history = location.hasDatabase ? try History.open(at: location.path, mode: .readOnly) : nil
      try start.takeRest(from: history)
      try DryRun(start: start, history: history, shared: shared, origins: files.origins(except: given.map(\.name)))
        .show()
      return .succeeded
    }
    let service = try shared.openService(
      for: file, plugins: .host(pluginHost), of: host, runsEverythingHere: executor != nil)
    tellOfControllers(of: pipeline)
    try start.takeRest(from: service.history)
    let chosen = start
    var presentation = shared.presentation(of: pipeline, in: service)
    try display.apply(to: &presentation)
    if file == "-" { presentation.answer = nil }
    let session = RunSession(service: service, presentation: presentation)
    let result = await Result {
      try await session.present {
        try await service.run(chosen, events: session.presentation.events, onEvent: $0)
      }
    }
    await pluginHost.shutDown()
    return ExitStatus(of: try result.get().run)
  }

  /// Reports that the pipeline's controllers are inactive in a single run.
  private func tellOfControllers(of pipeline: PipelineDefinition) {
    guard !pipeline.controllers.isEmpty, !shared.quiet else { return }
    let names = pipeline.controllers.map(\.use.offer).joined(separator: ", ")
    let (noun, verb) = pipeline.controllers.count == 1 ? ("controller", "is") : ("controllers", "are")
    TextOutput.error.writeMessage(
      "penstock: the \(noun) \(names) \(verb) inactive in a single run; `penstock run --watch` activates \(pipeline.controllers.count == 1 ? "it" : "them")"
    )
  }

  private func watch(
    _ file: String, in host: HostDefinition?, _ shared: SharedOptions
  ) async throws -> ExitStatus {
    guard !([file] + parameterFiles.paths).contains(where: { $0 == "-" || InputFile.kind(of: $0) == .pipe }) else {
      throw CommandFailure("--watch needs files: a pipe can be read only once")
    }
    let pluginHost = plugins.host()
    var source = host.map(HostSource.host) ?? .none
    if executor == nil { source = source.withExecutors(workspace: try shared.location(for: file).path) }
    let watched = WatchedFile(
      path: file, plugins: .host(pluginHost), host: source, others: parameterFiles.paths
    ) { [parameters, parameterFiles, labels, force] result in
      let pipeline = try PipelineFileLoading.accept(result, options: shared)
      return try RunStart(
        of: pipeline, given: ParameterArgument.parse(parameters),
        values: parameterFiles.values(for: pipeline, shared), labels: labels.labels(), isForced: force,
        version: Version.current)
    }
    // An error that exists from the start is a usage error.
    _ = try watched.load().content.get()
    let service = try shared.openService(
      for: file, plugins: .host(pluginHost), of: host, runsEverythingHere: executor != nil)
    var presentation = shared.presentation(of: nil, in: service)
    try display.apply(to: &presentation)
    let terminal = WatchTerminal(service: service, presentation: presentation)
    let session = WatchSession(service: service, file: watched, observer: terminal, startsNow: now)
    let result = await Result { try await session.run() }
    await pluginHost.shutDown()
    try result.get()
    return terminal.status
  }
}

/// Where operations run instead of where they would.
enum ExecutorOverride: String, ExpressibleByArgument, CaseIterable {
  case local
}

extension Result where Failure == any Error {
  /// Creates a result from the value or the error of an asynchronous body.
  init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
