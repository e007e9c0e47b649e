import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import Values

struct Resume: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "resume",
    abstract: "Resume an interrupted run",
    discussion: """
      A run is interrupted when the process that executed it was killed or lost power. Ends the processes it \
      left behind, keeps every recorded result, and executes the rest. Without a run, resumes the latest \
      interrupted one. If a host serves the pipeline, the host resumes the run; --follow shows it.

        penstock resume
        penstock resume 03kx9fab
        penstock resume 03kx9fab --here
      """)

  @Argument(
    help: ArgumentHelp("The run: its id, the beginning of it, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs([.interrupted]))
  var runName: String?

  @OptionGroup var place: HostPlaceOptions

  @OptionGroup var display: OutputOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func runInForeground() async throws -> ExitStatus {
    let shared = try hostFile.serving(shared)
    let pluginHost = plugins.host()
    let service = try shared.openService(plugins: .host(pluginHost))
    let run = try ResumedRun(named: runName, in: service.history)
    let requester = Requester(QuestionAnswer.loginName())
    if let host = try place.host(for: run.record, in: service.history, display, shared) {
      return try await ask(host, to: run.record, for: requester, in: service.history, shared)
    }
    var presentation = shared.presentation(of: run.pipeline, in: service)
    presentation.isResumed = true
    try display.apply(to: &presentation)
    let session = RunSession(service: service, presentation: presentation)
    let result = await Result {
      try await session.present {
        try await service.resume(
          run, for: requester, version: Version.current, events: session.presentation.events, onEvent: $0)
      }
    }
    await pluginHost.shutDown()
    do {
      return ExitStatus(of: try result.get().run)
    } catch is CancellationError {
      // Nothing has been changed yet.
      return .cancelled
    }
  }

  /// The maximum wait in milliseconds before checking again whether the host has resumed the run: a host that dies sends no notification.
  private static let longestWait: Int32 = 1000

  /// Asks the host to resume the run.
  private func ask(
    _ host: HostRecord, to run: RunRecord, for requester: Requester, in history: History,
    _ shared: SharedOptions
  ) async throws -> ExitStatus {
    let short = RunReference(history: history).short(run.id)
    let request = try history.ask(.resume, about: run.id, for: requester, at: .now)
    HostPlaceOptions.warn(of: host, shared)
    guard place.follow else {
      let value: JSONValue = [
        "run": .string(run.id.text), "requested": "resume", "pid": JSONValue(Int(host.owner.pid)),
      ]
      shared.output.confirm(value) {
        TextOutput.standard.writeMessage(
          "Asked the host in process \(host.owner.pid) to resume run \(short) of \(TerminalText.visible(run.pipeline)); follow it with `penstock attach \(short)`."
        )
      }
      return .succeeded
    }
    return try await Attach.show(begun(run.id, by: request, in: history), in: history, shared)
  }

  /// Waits until the host has resumed the run.
  private func begun(_ run: RunID, by request: Int64, in history: History) throws -> RunRecord {
    let changes = ChangeWait()
    let subscriptions = try history.followRuns { changes.end() } + [history.followHostRequests { changes.end() }]
    defer { subscriptions.forEach { $0.cancel() } }
    let short = RunReference(history: history).short(run)
    while true {
      guard let record = try history.run(run) else { throw CommandFailure("run \(short) has been deleted") }
      if record.state != .interrupted { return record }
      if let failure = try history.failure(ofHostRequest: request) {
        throw CommandFailure("the host cannot resume run \(short): \(failure)", status: .engineFailed)
      }
      changes.wait(milliseconds: Self.longestWait)
    }
  }
}
