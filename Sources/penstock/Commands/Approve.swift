import ArgumentParser
import Glibc
import Pipelines
import Values

struct Approve: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "approve",
    abstract: "Answer an operation that asks for approval.",
    discussion: """
      The answer is kept with your login name and the note. Without an operation,
      answers the only question that the run has.

        penstock approve 03kx9fab deploy --note "checked with ops"
        penstock approve 03kx9fab deploy --reject --note "not on a Friday"
      """)

  @Argument(help: ArgumentHelp("The run: its id or the beginning of it, or `last`.", valueName: "run"))
  var runName: String

  @Argument(help: "The operation that asks.")
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
    let short = reference.short(record.id)
    let name = try operation ?? onlyQuestion(of: record, in: history, short: short)
    let outcome = try history.answerApproval(
      record.id, operation: name, approved: !reject, note: note, who: Self.loginName())
    switch outcome {
    case .answered(let approval): report(approval, record, short: short)
    case .alreadyAnswered(let approval):
      let answer = approval.answer.map {
        "\($0.isApproved ? "approved" : "rejected") by \($0.who) \(ClockText.ago($0.at))"
      }
      throw CommandFailure("'\(name)' of run \(short) has been \(answer ?? "answered") already")
    case .over:
      // The run may have ended since it was looked up.
      throw Self.nobodyWaits(name, in: try reference.find(record.id.text), short: short)
    case .notAsked(let pending):
      let asked =
        pending.isEmpty
        ? "nothing in it waits for approval" : "these wait for approval: \(pending.joined(separator: ", "))"
      throw CommandFailure("'\(name)' of run \(short) has not asked for approval; \(asked)")
    }
  }

  private func onlyQuestion(of record: RunRecord, in history: History, short: String) throws -> String {
    let pending = try history.pendingApprovals(record.id)
    if pending.count == 1 { return pending[0].operation }
    if pending.isEmpty, let over = try history.approvals(of: record.id).last(where: \.isOver) {
      throw Self.nobodyWaits(over.operation, in: record, short: short)
    }
    guard !pending.isEmpty else { throw CommandFailure("nothing in run \(short) waits for approval") }
    let listed = pending.map { "\n  \($0.operation): \(TerminalText.oneLine($0.message))" }.joined()
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

  private func report(_ approval: Approval, _ record: RunRecord, short: String) {
    let output = TextOutput.standard
    if shared.json {
      output.writeLine(
        JSONValue.object([
          "run": .string(record.id.text), "operation": .string(approval.operation), "approved": .bool(!reject),
          "note": JSONValue(note),
        ]).text)
      return
    }
    guard !shared.quiet else { return }
    output.writeLine("\(reject ? "Rejected" : "Approved") \(TerminalText.visible(approval.operation)) of run \(short).")
    if record.state == .interrupted {
      output.writeLine("The host of the run is gone; `penstock resume \(short)` goes on with the answer.")
    }
  }

  static func loginName() -> String {
    if let entry = getpwuid(getuid()) { return String(cString: entry.pointee.pw_name) }
    return "user \(getuid())"
  }
}
