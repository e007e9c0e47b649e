import ArgumentParser
import Glibc
import PipelineLanguage
import RunHistory
import RunReports
import Values

struct Approve: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "approve",
    abstract: "Answer an operation that asks for approval.",
    discussion: """
      The answer is kept with your login name and the note. Without an operation,
      answers the only question that the run has, those of the runs that its
      operations have started included.

        penstock approve 03kx9fab deploy --note "checked with ops"
        penstock approve 03kx9fab deploy/publish
        penstock approve 03kx9fab deploy --reject --note "not on a Friday"
      """)

  @Argument(help: ArgumentHelp("The run: its id or the beginning of it, or `last`.", valueName: "run"))
  var runName: String

  @Argument(help: "The operation that asks; `name/inner` for one of the run that `name` has started.")
  var operation: String?

  @Flag(help: "Say no: the operation fails.")
  var reject = false

  @Option(help: ArgumentHelp("A remark, kept with the answer.", valueName: "text"))
  var note: String?

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let history = try shared.requireHistory(writing: true)
    let reference = RunReference(history: history)
    let record = try reference.find(runName)
    let questions = OpenQuestions(of: record, in: history)
    let asked = try operation.map { try reference.end(of: $0, from: record) } ?? only(of: questions, reference)
    let name = asked.operation
    let short = reference.short(asked.run.id)
    let outcome = try history.answerApproval(
      asked.run.id, operation: name, approved: !reject, note: note, who: Self.loginName())
    switch outcome {
    case .answered(let approval): report(approval, of: asked.run, in: record, reference)
    case .alreadyAnswered(let approval):
      let answer = approval.answer.map {
        "\($0.isApproved ? "approved" : "rejected") by \($0.who) \(ClockText.ago($0.at))"
      }
      throw CommandFailure("'\(name)' of run \(short) has been \(answer ?? "answered") already")
    case .over:
      // The run may have ended since it was looked up.
      throw Self.nobodyWaits(name, in: try reference.find(asked.run.id.text), short: short)
    case .notAsked:
      let pending = try questions.all().map(\.path)
      let others =
        pending.isEmpty
        ? "nothing in it waits for approval" : "these wait for approval: \(pending.joined(separator: ", "))"
      let subject = TerminalText.visible(operation ?? name)
      throw CommandFailure("'\(subject)' of run \(reference.short(record.id)) has not asked for approval; \(others)")
    }
  }

  /// The one question that nobody has answered, and the run that asks it.
  private func only(
    of questions: OpenQuestions, _ reference: RunReference
  ) throws -> (run: RunRecord, operation: String) {
    let pending = try questions.all()
    if pending.count == 1 { return (pending[0].run, pending[0].approval.operation) }
    let short = reference.short(questions.run.id)
    if pending.isEmpty, let over = try reference.history.approvals(of: questions.run.id).last(where: \.isOver) {
      throw Self.nobodyWaits(over.operation, in: questions.run, short: short)
    }
    guard !pending.isEmpty else { throw CommandFailure("nothing in run \(short) waits for approval") }
    let listed = pending.map { "\n  \($0.path): \(TerminalText.oneLine($0.approval.message))" }.joined()
    throw CommandFailure("several operations of run \(short) wait for approval; name one:\(listed)")
  }

  private static func nobodyWaits(_ operation: String, in run: RunRecord, short: String) -> CommandFailure {
    let subject: String
    switch run.state {
    case .cancelled: subject = "run \(short) is cancelled"
    case .failed, .succeeded: subject = "run \(short) has \(run.state.rawValue)"
    case .queued, .running, .interrupted: subject = "'\(TerminalText.visible(operation))' of run \(short) has ended"
    }
    return CommandFailure("\(subject): nobody waits for an answer")
  }

  /// Tells of an answer to a question of `run`, which is `asked`, or was started by it.
  private func report(_ approval: Approval, of run: RunRecord, in asked: RunRecord, _ reference: RunReference) {
    let output = TextOutput.standard
    if shared.json {
      output.writeLine(
        JSONValue.object([
          "run": .string(run.id.text), "operation": .string(approval.operation), "approved": .bool(!reject),
          "note": JSONValue(note),
        ]))
      return
    }
    guard !shared.quiet else { return }
    let name = TerminalText.visible(approval.operation)
    output.writeLine("\(reject ? "Rejected" : "Approved") \(name) of run \(reference.short(run.id)).")
    if asked.state == .interrupted {
      let short = reference.short(asked.id)
      output.writeLine("The host of the run is gone; `penstock resume \(short)` goes on with the answer.")
    }
  }

  static func loginName() -> String {
    if let entry = getpwuid(getuid()) { return String(cString: entry.pointee.pw_name) }
    return "user \(getuid())"
  }
}
