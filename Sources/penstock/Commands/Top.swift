import ArgumentParser
import CProcess
import Glibc
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct Top: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "top",
    abstract: "Show active runs, pending approvals and leases",
    discussion: """
      On a terminal, updates until Ctrl-C; in a pipe and with --json, prints once. With --json, prints one \
      object per line for each run, approval and lease.

        penstock top
        penstock top --json | jq 'select(.kind == "question")'
      """)

  @Flag(help: "Print once and exit, even on a terminal")
  var once = false

  @OptionGroup var labels: LabelFilterOptions

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let labels = try labels.labels()
    let history = try shared.requireHistory()
    if !once, shared.output.format == .text, WatchScreen.isPossible {
      try TopScreen(history: history, labels: labels, style: shared.style).show()
    } else {
      try showOnce(Activity(in: history, labels: labels), history)
    }
  }

  private func showOnce(_ activity: Activity, _ history: History) throws {
    shared.output.print {
      activity.jsonValues()
    } text: {
      let layout = TopLayout(
        activity: activity, workspace: history.workspace.directory, now: .now,
        short: RunReference(history: history).short, style: shared.style, width: shared.tableWidth)
      TextOutput.standard.write(layout.lines().map { $0 + "\n" }.joined())
    }
  }
}

extension Activity {
  /// Returns each run, question and lease as an object whose `kind` identifies it.
  fileprivate func jsonValues() -> [JSONValue] {
    runs.map { run in
      guard case .object(var members) = run.record.jsonValue() else { return .null }
      members["kind"] = "run"
      members["active"] = .array(
        run.operations.map { ["operation": .string($0.name), "state": .string($0.state.rawValue)] })
      return .object(members)
    }
      + questions.map { question in
        [
          "kind": "question", "run": .string(question.run.id.text),
          "operation": .string(question.approval.operation), "message": .string(question.approval.message),
          "requested_at": JSONValue(question.approval.requestedAt),
          "command": .string(TopLayout.command(for: question, run: question.run.id.text)),
        ]
      }
      + leases.map { lease in
        [
          "kind": "lease", "name": .string(lease.name), "holder": .string(lease.holder),
          "run": JSONValue(LeaseHolder(lease.holder)?.run?.text), "pid": JSONValue(Int(lease.owner.pid)),
          "acquired_at": JSONValue(RecordTime(microseconds: lease.acquiredAt)),
        ]
      }
  }
}
