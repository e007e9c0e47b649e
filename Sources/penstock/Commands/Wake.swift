import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import Values

struct Wake: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "wake",
    abstract: "Start the next attempt of a waiting operation now",
    discussion: """
      Ends the wait at once, including one that a server requested with Retry-After. The attempt counts towards \
      those that 'retry' allows. The history shows `wake` as its cause. In an interrupted run, the attempt begins as \
      soon as the run is resumed.

        penstock wake 03kx9fab upload
        penstock wake last 'convert[3]'
        penstock wake 03kx9fab deploy/build
      """)

  @Argument(
    help: ArgumentHelp("The run: its id, the beginning of it, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs([.running]))
  var runName: String

  @Argument(
    help:
      "The operation that waits: `name`, `name[3]` or `name[label]` for an item of a loop, `name/inner` for one of the run that `name` started",
    completion: ArgumentCompletion.retries)
  var operation: String

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost()
    let wake = try RetryWake(
      of: operation, ofRunNamed: runName, for: Requester(QuestionAnswer.loginName()), in: history)
    try shared.warn(ofProcessOf: wake.run, in: history)
    let value: JSONValue = [
      "run": .string(wake.run.id.text), "operation": .string(wake.operation.name), "requested": "wake",
      "attempt": JSONValue(wake.operation.attempts + 1),
    ]
    shared.output.confirm(value) {
      let name = "\(TerminalText.visible(wake.operation.name)) of run \(wake.short)"
      let attempt = "attempt \(wake.operation.attempts + 1)"
      TextOutput.standard.writeLine(
        wake.run.state == .interrupted
          ? "Run \(wake.short) is interrupted: \(attempt) of \(name) begins as soon as the run is resumed."
          : "Asked process \(wake.run.owner.pid) to try \(name) now (\(attempt)).")
    }
  }
}
