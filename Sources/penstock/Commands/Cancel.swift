import ArgumentParser
import PipelineLanguage
import PipelineService
import Values

struct Cancel: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "cancel",
    abstract: "Cancel a run that is going on.",
    discussion: """
      Its processes get SIGTERM, and SIGKILL after their grace; handlers under \
      after.cancel and after.always still run. --kill gives no grace.

        penstock cancel 03kx9fab
      """)

  @Argument(
    help: ArgumentHelp("The run: its id or the beginning of it, or `last`.", valueName: "run"),
    completion: ArgumentCompletion.runs([.queued, .running]))
  var runName: String

  @Flag(help: "End its processes at once.")
  var kill = false

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let history = try shared.requireHistory(writing: true)
    let cancellation = try RunCancellation(
      ofRunNamed: runName, isKill: kill, who: QuestionAnswer.loginName(), in: history)
    let record = cancellation.run
    // A host takes a run from the queue a moment before the run is its own.
    let process = record.owner == .nobody ? "the host" : "process \(record.owner.pid)"
    shared.output.confirm(["run": .string(record.id.text), "requested": .string(kill ? "kill" : "cancel")]) {
      guard !cancellation.isOver else {
        return TextOutput.standard.writeLine(
          "Run \(cancellation.short) of \(TerminalText.visible(record.pipeline)) was queued, and is cancelled.")
      }
      if record.state == .interrupted {
        TextOutput.standard.writeLine(interrupted(cancellation))
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
      ? "No process is executing \(run), which was interrupted: the next host of the workspace (`penstock serve`) cancels it, handlers included. `penstock resume \(cancellation.short)` withdraws that."
      : "Asked the host to cancel \(run), which was interrupted."
  }
}
