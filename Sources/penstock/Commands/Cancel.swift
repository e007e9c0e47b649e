import ArgumentParser
import PipelineLanguage
import RunHistory
import Values

struct Cancel: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "cancel",
    abstract: "Cancel a run that is going on.",
    discussion: """
      Its processes get SIGTERM, and SIGKILL after their grace; handlers under
      after.cancel and after.always still run. --kill gives no grace.

        penstock cancel 03kx9fab
      """)

  @Argument(help: ArgumentHelp("The run: its id or the beginning of it, or `last`.", valueName: "run"))
  var runName: String

  @Flag(help: "End its processes at once.")
  var kill = false

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let history = try shared.requireHistory(writing: true)
    let reference = RunReference(history: history)
    let record = try reference.find(runName)
    let short = reference.short(record.id)
    guard !record.state.isFinal else {
      let next =
        record.state == .interrupted
        ? "its host is gone; `penstock resume \(short)` goes on with it" : "there is nothing to cancel"
      throw CommandFailure("run \(short) of \(record.pipeline) is \(record.state.rawValue): \(next)")
    }
    try history.request(kill ? .kill : .cancel, of: record.id)
    if shared.json {
      TextOutput.standard.writeLine(
        JSONValue.object(["run": .string(record.id.text), "requested": .string(kill ? "kill" : "cancel")]))
    } else if !shared.quiet {
      TextOutput.standard.writeLine(
        "Asked process \(record.owner.pid) to cancel run \(short) of \(TerminalText.visible(record.pipeline)).")
    }
  }
}
