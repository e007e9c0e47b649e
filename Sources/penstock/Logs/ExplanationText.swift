import PipelineLanguage
import RunHistory
import RunReports

/// What is to be said of a run or of an operation in it: why, the last lines of its logs, and what to do. Harmless for a terminal.
struct ExplanationText {
  /// The run, as commands name it.
  let shortID: String
  let pipeline: String
  let workspace: String
  let style: Style
  /// The columns of the terminal; nil where there is none, and lines of logs are as long as ``LogTail`` has them.
  let width: Int?

  func text(of entry: RunExplanation.Entry) -> String {
    let subject =
      entry.operation.map { TerminalText.name($0, label: entry.label) }
      ?? "run \(shortID) of \(TerminalText.visible(pipeline))"
    let because = entry.because.map { TerminalText.oneLine($0) }
    var text =
      "\(style.paint(subject, .bold)) \(style.paint(entry.word, StatePaint.ofWord(entry.word)))"
      + (because.first.map { joint(before: $0, in: entry) + $0 } ?? "") + "\n"
    for line in because.dropFirst() { text += "  \(line)\n" }
    for line in LogTail.lines(of: entry.attempt, workspace: workspace) {
      let fitted = width.map { TerminalText.fitted(line, width: max(20, $0 - 4)) } ?? line
      text += "    \(style.paint(fitted, .dim))\n"
    }
    for remedy in entry.remedies { text += "  \(style.isUnicode ? "→" : "->") \(TerminalText.oneLine(remedy))\n" }
    return text
  }

  /// An error may begin with any words.
  private func joint(before text: String, in entry: RunExplanation.Entry) -> String {
    entry.state == RunState.cancelled.rawValue ? StateReason.joint(before: text) : ": "
  }
}
