import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import Values

struct Cancel: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "cancel",
    abstract: "Cancel active runs",
    discussion: """
      Sends SIGTERM to their processes, and SIGKILL when the grace period is over; handlers under after.cancel \
      and after.always still run. --kill skips the grace period. Given several runs, cancels each that it can; \
      exits with 0 only if all were cancelled.

        penstock cancel 03kx9fab
        penstock cancel 03kx9fab 03kx9fac
      """)

  @Argument(
    help: ArgumentHelp("The runs: their ids, the beginnings of them, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs([.queued, .running]))
  var runNames: [String]

  @Flag(help: "Kill their processes at once, without grace period")
  var kill = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost()
    let who = QuestionAnswer.loginName()
    // Resolve all names first: the meaning of some, such as `last`, may change as runs are cancelled.
    let reference = RunReference(history: history)
    let wanted = runNames.map { name in Result { try reference.find(name) } }
    var asked: Set<RunID> = []
    var status = ExitStatus.succeeded
    for run in wanted {
      do {
        let run = try run.get()
        guard asked.insert(run.id).inserted else { continue }
        try shared.warn(ofProcessOf: run, in: history)
        confirm(try RunCancellation(of: run, isKill: kill, who: who, in: history))
      } catch {
        guard let failure = ExitStatus.reportIfKnown(error) else { throw error }
        if failure.rawValue > status.rawValue { status = failure }
      }
    }
    guard status == .succeeded else { throw status }
  }

  private func confirm(_ cancellation: RunCancellation) {
    let record = cancellation.run
    // A host takes a run from the queue a moment before it becomes the run's owner.
    let process = record.owner == .nobody ? "the host" : "process \(record.owner.pid)"
    shared.output.confirm(["run": .string(record.id.text), "requested": .string(kill ? "kill" : "cancel")]) {
      guard !cancellation.isOver else {
        return TextOutput.standard.writeLine(
          "Cancelled run \(cancellation.short) of \(TerminalText.visible(record.pipeline)), which was queued.")
      }
      if record.state == .interrupted {
        TextOutput.standard.writeMessage(interrupted(cancellation))
        return
      }
      TextOutput.standard.writeLine(
        "Asked \(process) to \(kill ? "kill" : "cancel") run \(cancellation.short) of \(TerminalText.visible(record.pipeline))."
      )
    }
  }

  private func interrupted(_ cancellation: RunCancellation) -> String {
    let run = "run \(cancellation.short) of \(TerminalText.visible(cancellation.run.pipeline))"
    return cancellation.isLeftToNextHost
      ? "Interrupted \(run) will be cancelled, with its handlers, by the next host of the workspace (`penstock serve`). To resume it instead: `penstock resume \(cancellation.short)`"
      : "Asked the host to cancel interrupted \(run)."
  }
}
