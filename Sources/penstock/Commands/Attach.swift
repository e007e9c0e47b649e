import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory

struct Attach: ForegroundCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "attach",
    abstract: "Follow a run that another process executes",
    discussion: """
      Shows what `penstock run` shows, and exits with the same code. Ctrl-C detaches; the run continues. Without \
      a run, follows the latest run that is still active.

        penstock attach
        penstock attach 03kx9fab
        penstock attach 03kx9fab --json | jq .
      """)

  @Argument(
    help: ArgumentHelp("The run: its id, the beginning of it, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs([.queued, .running]))
  var runName: String?

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func runInForeground() async throws -> ExitStatus {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistory()
    return try await Self.show(
      runName.map(RunReference(history: history).find) ?? latest(in: history), in: history, shared)
  }

  /// Shows a run of another process until it ends or a signal arrives.
  static func show(_ record: RunRecord, in history: History, _ shared: SharedOptions) async throws -> ExitStatus {
    let location = try shared.location()
    let reference = RunReference(history: history)
    var presentation = RunPresentation(
      pipeline: try history.recordedPipeline(of: record), workspace: history.workspace.directory,
      isJSON: shared.output.format == .json, isQuiet: shared.quiet, color: shared.color)
    presentation.isFollowed = true
    presentation.waits = WaitSource(history)
    presentation.answer = { run, operation, isApproved in
      let writable = try location.writableHistory(durability: DurabilitySetting.value())
      defer { writable.workspace.close() }
      let answer = QuestionAnswer(
        isApproved: isApproved, note: nil, who: QuestionAnswer.loginName(), by: .terminal)
      _ = try answer.give(to: operation, of: run, in: writable)
    }
    let session = AttachSession(history: history, run: record.id, presentation: presentation)
    if let outcome = try await session.present() { return ExitStatus(of: outcome.run) }
    let short = reference.short(record.id)
    // The cause is reported when the command ends.
    let status = TextOutput.standard.failure == nil ? ExitStatus.cancelled : .engineFailed
    TextOutput.error.writeMessage(
      "penstock: detached; run \(short) continues: `penstock attach \(short)` shows it again, `penstock cancel \(short)` cancels it"
    )
    return status
  }

  private func latest(in history: History) throws -> RunRecord {
    if let going = try history.runs(RunFilter(states: [.queued, .running], limit: 1)).first { return going }
    throw CommandFailure(
      "no run is active in '\(history.workspace.directory)'; name a run to see how it ended, or see `penstock history list`"
    )
  }
}
