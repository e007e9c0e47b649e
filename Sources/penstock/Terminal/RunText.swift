import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Runs in words.
enum RunText {
  /// What is said in place of an empty list. Where there is no workspace, that has been said already.
  static func none(in history: History?) -> String {
    guard let history else { return "No runs." }
    return "No runs in '\(TerminalText.visible(history.workspace.directory))'."
  }

  /// `4 operations`, or what became of them when not all succeeded: `2 succeeded, 1 failed, 1 cancelled`.
  static func counts(_ run: RunRecord) -> String {
    let counts = run.counts
    guard run.state.isFinal, counts.succeeded != counts.operations else {
      return Count.of(counts.operations, "operation")
    }
    // Of a run that nobody and no time limit cancelled, the others kept them from beginning.
    let isCancelled = run.state == .cancelled || run.reason == RunReason.timeout.text
    let parts = [
      (counts.succeeded, "succeeded"), (counts.reused, "reused"), (counts.failed, "failed"),
      (counts.cancelled, isCancelled ? "cancelled" : StateReason.notRun), (counts.skipped, "skipped"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? Count.of(counts.operations, "operation") : parts.joined(separator: ", ")
  }

  /// A result on one line, cut to `width` characters.
  static func result(_ result: RecordedResult, width: Int = 60) -> String {
    switch result {
    case .none: return ""
    case .file(let path, let size): return "\(SizeNotation.format(size)) in \(path)"
    case .inline(let text):
      // Only what can be shown is read: a result may have a megabyte.
      let start = String(decoding: text.utf8.prefix(4 * width), as: UTF8.self)
      return TerminalText.fitted(TerminalText.oneLine(start), width: width)
    }
  }
}
