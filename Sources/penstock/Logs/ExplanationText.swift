import PipelineLanguage
import RunHistory
import RunReports

/// Formats an explanation of a run or an operation: the reasons, the last lines of its logs, and the remedies. Safe to print to a terminal.
struct ExplanationText {
  /// The short id of the run for commands.
  let shortID: String
  let pipeline: String
  let workspace: String
  let style: Style
  /// The width of the terminal in columns, for prose; nil if there is none.
  let width: Int?

  func text(of entry: RunExplanation.Entry) -> String {
    let subject =
      entry.operation.map { TerminalText.name($0, label: entry.label) }
      ?? "run \(shortID) of \(TerminalText.visible(pipeline))"
    let because = entry.because.map { TerminalText.oneLine($0) }
    let head =
      "\(style.paint(subject, .bold)) \(style.paint(entry.word, StatePaint.ofWord(entry.word)))"
      + (because.first.map { joint(before: $0, in: entry) + $0 } ?? "")
    var text = TerminalLines.wrapped(head, width: width, indentation: 2) + "\n"
    for line in because.dropFirst() {
      text += TerminalLines.wrapped("  \(line)", width: width, indentation: 4) + "\n"
    }
    for line in LogTail.lines(of: entry.attempt, workspace: workspace) {
      text += "    \(style.paint(line, .dim))\n"
    }
    let arrow = style.isUnicode ? "→" : "->"
    for remedy in entry.remedies {
      let command = remedy.hasPrefix("penstock ") ? CommandHint.command(remedy) : CommandHint.complete(remedy)
      let line = "  \(arrow) \(TerminalText.oneLine(command))"
      // A command is not wrapped, so that it can be pasted.
      let isCommand = remedy.hasPrefix("penstock ")
      text += (isCommand ? line : TerminalLines.wrapped(line, width: width, indentation: 3 + arrow.count)) + "\n"
    }
    return text
  }

  /// Returns the separator after the state. An error may begin with any words, so it always follows a colon.
  private func joint(before text: String, in entry: RunExplanation.Entry) -> String {
    entry.state == RunState.cancelled.rawValue ? StateReason.joint(before: text) : ": "
  }
}
