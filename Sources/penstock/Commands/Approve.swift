import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct Approve: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "approve",
    abstract: "Approve or reject an operation that waits for approval",
    discussion: """
      Records the answer with your login name and the note. The operation may be left out if the run, including \
      the runs that its operations have started, waits for only one approval.

        penstock approve 03kx9fab deploy --note "checked with ops"
        penstock approve 03kx9fab deploy/publish
        penstock approve 03kx9fab deploy --reject --note "not on a Friday"
      """)

  @Argument(
    help: ArgumentHelp("The run: its id, the beginning of it, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs([.running, .interrupted]))
  var runName: String

  @Argument(
    help:
      "The operation that waits: `name`, `name[3]` or `name[label]` for an item of a loop, `name/inner` for one of the run that `name` started",
    completion: ArgumentCompletion.questions)
  var operation: String?

  @Flag(help: "Reject: the operation fails")
  var reject = false

  @Option(help: ArgumentHelp("A note to record with the answer", valueName: "text"))
  var note: String?

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost()
    let reference = RunReference(history: history)
    let record = try reference.find(runName)
    try shared.warn(ofProcessOf: record, in: history)
    let answer = QuestionAnswer(isApproved: !reject, note: note, who: QuestionAnswer.loginName())
    let receipt = try answer.give(to: operation, of: record, in: history)
    report(
      receipt, to: record, reference,
      prospect: record.state == .interrupted ? try RunRestart(of: record, in: history) : nil)
  }

  /// Reports an answer to a question of `asked`, or of a run that it started.
  private func report(
    _ receipt: QuestionAnswer.Receipt, to asked: RunRecord, _ reference: RunReference, prospect: RunRestart?
  ) {
    let value: JSONValue = [
      "run": .string(receipt.run.id.text), "operation": .string(receipt.approval.operation), "approved": .bool(!reject),
      "note": JSONValue(note),
    ]
    shared.output.confirm(value) {
      let name = TerminalText.visible(receipt.approval.operation)
      TextOutput.standard.writeLine(
        "\(reject ? "Rejected" : "Approved") \(name) of run \(reference.short(receipt.run.id)).")
      guard let prospect else { return }
      let resume = "`\(CommandHint.command("penstock resume \(reference.short(asked.id))"))`"
      TextOutput.standard.writeLine(
        prospect.wantsResume
          ? "The run is interrupted; continue it with \(resume)."
          : "The run is interrupted; the next host of the workspace resumes it, or run \(resume).")
    }
  }
}
