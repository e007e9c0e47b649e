import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import Values

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "doctor",
    abstract: "Check the health of this computer and the workspace",
    discussion: """
      Checks the workspace, its permissions and integrity, disk space, limits, interrupted runs, unused leases \
      and logs, and processes left behind. Exits with 1 when something would keep pipelines from running. Like \
      every command, it marks runs whose host is gone as interrupted and deletes results of theirs that were \
      never recorded; it changes nothing else.

      With --repair, releases the leases of hosts that are gone, deletes logs of runs that have no record, \
      rebuilds damaged indexes, and replaces a damaged database with what can be read of it; the damaged one is \
      kept under another name.

      With --executor, checks a cluster of `executors.yaml` instead: the clients, the controller, the shared \
      directory, and the settings of the cluster that matter. With --probe, also submits a job that ends when it \
      is asked to.

        penstock doctor
        penstock doctor --repair
        penstock doctor --executor cluster --probe
      """)

  @Flag(help: "Repair what can be repaired")
  var repair = false

  @Option(help: ArgumentHelp("Check this executor of `executors.yaml` instead", valueName: "name"))
  var executor: String?

  @Flag(help: "Submit a job to the executor")
  var probe = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if probe, executor == nil { throw ValidationError("--probe needs --executor") }
    if repair, executor != nil { throw ValidationError("--repair cannot be used with --executor") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let location = try shared.location()
    var failures = 0
    let report = { (finding: Checkup.Finding) in
      if finding.grade == .fail { failures += 1 }
      let value: JSONValue = [
        "grade": .string(finding.grade.rawValue), "subject": .string(finding.subject),
        "message": .string(finding.message),
      ]
      shared.output.print(value) { show(finding) }
    }
    if let executor {
      ClusterCheckup.run(executor, workspace: location.path, probing: probe, report: report)
    } else {
      Checkup(of: location, isRepairing: repair).run(
        processes: { LeftoverCheckup(history: $0).findings() }, report: report)
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
