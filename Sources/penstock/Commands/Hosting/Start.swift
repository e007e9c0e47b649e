import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import Values

struct Start: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "start",
    abstract: "Queue a run of a pipeline that a host serves",
    discussion: """
      The run starts when its turn comes, with the definition that the pipeline's file has now. If no host \
      serves the workspace, it waits for one. --follow shows it as `penstock run` does and exits with the same \
      code; Ctrl-C then ends only the display.

        penstock start nightly
        penstock start nightly -p date=2026-11-20 --priority 10
        penstock start nightly --follow

      Exits with 2 when there is no such pipeline, its file has errors, or a param is wrong.
      """)

  @Argument(
    help: ArgumentHelp("The name of the pipeline", valueName: "name"), completion: ArgumentCompletion.servedPipelines)
  var name: String

  @Option(
    name: [.customShort("p"), .customLong("param")],
    help: ArgumentHelp("Set a param of the pipeline (may be repeated)", valueName: "name=value"),
    completion: ArgumentCompletion.parameters)
  var parameters: [String] = []

  @OptionGroup var parameterFiles: ParameterFileOptions

  @OptionGroup var labels: LabelOptions

  // Unconditional, because a negative number looks like an option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Start before queued runs of a lower priority; may be negative (default: that of the pipeline)",
      valueName: "number"))
  var priority: Int?

  @Flag(help: "Show the run until it ends")
  var follow = false

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if let priority, !PipelineScheduling.priorities.contains(priority) {
      throw ValidationError(
        "--priority must be from \(PipelineScheduling.priorities.lowerBound) to \(PipelineScheduling.priorities.upperBound)."
      )
    }
  }

  /// Returns what delays the start of the run, each with what would end the delay.
  private func delays(in history: History) throws -> [String] {
    var delays: [String] = []
    switch try history.currentHost()?.state {
    case nil:
      delays.append(
        "no host serves '\(history.workspace.directory)'; the run starts when one does: `\(try history.hostCommand())`")
    case .draining: delays.append("the host is draining; the next host starts the run")
    default: break
    }
    if let pause = try history.pauses(at: .now).first(where: { $0.pipeline == name }) {
      delays.append(
        TerminalText.oneLine(
          "'\(name)' is \(pause.words); the run stays queued until the pause ends; end it with `penstock unpause \(ShellText.quoted(name))`"
        ))
    }
    return delays
  }

  func run() throws {
    // Without `--follow`, nothing is shown or awaited, so neither threads nor signal handling is needed.
    if follow { try runBesideSignals() } else { _ = try queue() }
  }

  func runInForeground() async throws -> ExitStatus {
    let (run, history, shared) = try queue()
    guard let record = try history.run(run) else {
      throw CommandFailure("run \(RunReference(history: history).short(run)) has been deleted")
    }
    return try await Attach.show(record, in: history, shared)
  }

  /// Queues the run, and reports that if it is not going to be shown.
  private func queue() throws -> (run: RunID, history: History, shared: SharedOptions) {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost(isBrief: !follow)
    let who = QuestionAnswer.loginName()
    let host = plugins.host()
    let request = try RequestedRun(
      ofPipelineNamed: name, in: history, plugins: .host(host), who: who
    ) { try PipelineFileLoading.accept($0, options: shared) }
    let labels = try labels.labels()
    let (given, values): ([(name: String, text: String)], [String: JSONValue])
    var finding: String?
    do {
      given = try ParameterArgument.parse(parameters)
      values = try parameterFiles.read(for: request.definition, of: request.pipeline.path, shared) { finding = $0 }
        .values
    } catch {
      try request.refuseParameters(because: finding ?? (error as? CommandFailure)?.message, who: who)
      throw error
    }
    let run = try request.queue(
      given: given, values: values, labels: labels, priority: priority, who: who, version: Version.current)
    for delay in shared.quiet ? [] : try delays(in: history) { TextOutput.error.writeMessage("penstock: \(delay)") }
    if !follow {
      let short = RunReference(history: history).short(run)
      shared.output.confirm(["run": .string(run.text), "pipeline": .string(request.pipeline.name)]) {
        TextOutput.standard.writeLine("Queued run \(short) of \(TerminalText.visible(request.pipeline.name)).")
      }
    }
    return (run, history, shared)
  }
}
