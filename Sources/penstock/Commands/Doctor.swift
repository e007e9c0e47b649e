import ArgumentParser
import Pipelines
import Values

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check that this computer and the workspace are fit for running pipelines.",
    discussion: """
      Looks at the workspace, its permissions and integrity, disk space, limits,
      interrupted runs and processes left over. Changes nothing. Exits with 1 when
      something would keep pipelines from running.
      """)

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let style = shared.style
    var failures = 0
    Checkup(of: try shared.location()).run { finding in
      if finding.grade == .fail { failures += 1 }
      if shared.json {
        TextOutput.standard.writeLine(
          JSONValue.object([
            "grade": .string(finding.grade.rawValue), "subject": .string(finding.subject),
            "message": .string(finding.message),
          ]).text)
        return
      }
      if shared.quiet, finding.grade == .ok { return }
      let paint: Style.Paint =
        switch finding.grade {
        case .ok: .green
        case .warn: .yellow
        case .fail: .boldRed
        }
      let word = finding.grade.rawValue
      TextOutput.standard.writeLine(
        style.paint(word, paint) + String(repeating: " ", count: 6 - word.count)
          + "\(finding.subject): \(TerminalText.visible(finding.message))")
    }
    if failures > 0 { throw ExitStatus.failed }
  }
}
