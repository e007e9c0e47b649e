import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import Values

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "doctor",
    abstract: "Check that this computer and the workspace are fit for running pipelines.",
    discussion: """
      Looks at the workspace, its permissions and integrity, disk space, limits, \
      interrupted runs, leases and logs that nobody needs, and processes left over. \
      Exits with 1 when something would keep pipelines from running. Like every \
      command, it marks runs whose host is gone as interrupted, and deletes results \
      of theirs that nobody recorded; it changes nothing else.

      With --repair, gives back the leases of hosts that are gone, removes logs of \
      runs that have no record, makes damaged indexes anew, and puts a damaged \
      database aside under another name, with what could be read of it in a new one.
      """)

  @Flag(help: "Repair what can be repaired.")
  var repair = false

  @OptionGroup var shared: SharedOptions

  func run() throws {
    var failures = 0
    Checkup(of: try shared.location(), isRepairing: repair).run(
      processes: { LeftoverCheckup(history: $0).findings() }
    ) { finding in
      if finding.grade == .fail { failures += 1 }
      let value: JSONValue = [
        "grade": .string(finding.grade.rawValue), "subject": .string(finding.subject),
        "message": .string(finding.message),
      ]
      shared.output.print(value) { show(finding) }
    }
    if failures > 0 { throw ExitStatus.failed }
  }

  private func show(_ finding: Checkup.Finding) {
    if shared.quiet, finding.grade == .ok { return }
    let paint: Style.Paint =
      switch finding.grade {
      case .ok, .fixed: .green
      case .warn: .yellow
      case .fail: .boldRed
      }
    let word = finding.grade.rawValue
    TextOutput.standard.writeLine(
      shared.style.paint(word, paint) + String(repeating: " ", count: 6 - word.count)
        + "\(finding.subject): \(TerminalText.visible(finding.message))")
  }
}
