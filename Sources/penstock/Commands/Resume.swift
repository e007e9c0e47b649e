import ArgumentParser
import PipelineEngine
import PipelineLanguage
import RunHistory

struct Resume: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "resume",
    abstract: "Go on with a run whose host has gone.",
    discussion: """
      Ends the processes that the former host has left behind, keeps every result
      that is recorded, and executes the rest. Without a run, takes the latest one
      that was interrupted.

        penstock resume
        penstock resume 03kx9fab
      """)

  @Argument(help: ArgumentHelp("The run: its id or the beginning of it, or `last`.", valueName: "run"))
  var runName: String?

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func runInForeground() async throws -> ExitStatus {
    let pluginHost = plugins.host()
    let host = try shared.openHost(plugins: .host(pluginHost))
    let history = host.history
    let reference = RunReference(history: history)
    let record: RunRecord
    if let runName {
      record = try reference.find(runName)
    } else if let latest = try history.latestRun(for: .resume) {
      record = latest
    } else {
      throw CommandFailure(
        "no run in '\(history.workspace.directory)' was interrupted; `penstock retry` runs again what failed, `penstock history list` shows the runs"
      )
    }
    guard record.state == .interrupted else {
      throw CommandFailure(RunNotResumable.message(of: record, short: reference.short(record.id), in: history))
    }
    let definition = try history.definition(of: record.id) ?? ""
    let pipeline = PipelineLoader.load(
      text: definition, path: record.path ?? "\(record.pipeline).yaml",
      nested: try history.nestedDefinitions(of: record.id),
      plugins: .unchecked, isRecorded: true
    ).pipeline
    var presentation = shared.presentation(of: pipeline, in: host)
    presentation.isResumed = true
    let session = RunSession(host: host, presentation: presentation)
    let id = record.id
    let result = await Result {
      try await session.present {
        try await host.resume(id, version: Version.current, events: session.presentation.events, onEvent: $0)
      }
    }
    await pluginHost.shutDown()
    do {
      return ExitStatus(of: try result.get().run)
    } catch is CancellationError {
      // Nothing had been touched yet.
      return .cancelled
    } catch let error as EngineError where ["secret-unavailable", "processes-remain"].contains(error.code) {
      let short = reference.short(id)
      throw CommandFailure(
        "\(error); run \(short) is still interrupted; fix this and run `penstock resume \(short)` again")
    }
  }
}

extension RunNotResumable {
  /// Why a run cannot be gone on with, and what to do instead.
  static func message(of run: RunRecord, short: String, in history: History) -> String {
    switch run.state {
    case .queued, .running: "run \(short) \(run.owner.whereabouts(in: history.workspace.directory)) on \(run.host)"
    case .failed, .cancelled:
      "run \(short) \(run.state.rawValue) by itself; `penstock retry \(short)` runs again what did not succeed"
    case .succeeded: "run \(short) has succeeded; there is nothing left to do"
    case .interrupted: "run \(short) was interrupted"
    }
  }
}
