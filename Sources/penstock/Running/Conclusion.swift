import PipelineLanguage
import RunHistory
import RunReports
import Values

/// The conclusion of a run's output: how it ended, its results, and what to do next.
struct Conclusion {
  private let outcome: RunOutcome
  private let presentation: RunPresentation
  private let board: RunBoard
  private let style: Style

  /// The maximum number of lines of a result; longer ones are left to `history show`.
  private static let lineLimit = 20

  init(_ outcome: RunOutcome, _ presentation: RunPresentation, _ board: RunBoard, style: Style) {
    self.outcome = outcome
    self.presentation = presentation
    self.board = board
    self.style = style
  }

  /// Returns, for example, `run 03kx9fab succeeded in 2.1s (4 operations)`.
  static func line(of run: RunRecord, failedHandlers: [String] = [], style: Style) -> String {
    let took = DurationText.format(from: run.startedAt, to: run.endedAt)
    let state = style.paint(run.state.rawValue, StatePaint.of(run.state))
    let canceller = run.state == .cancelled ? run.canceller : nil
    let ending = TerminalText.oneLine(canceller?.wordsBehindState ?? "")
    let isWhole = canceller.map { $0.words == $0.wordsBehindState } ?? true
    var line = "run \(run.id.short) \(state)" + (isWhole ? "" : " \(ending)")
    line += (took.isEmpty ? "" : " in \(took)") + " (\(RunText.counts(run, failedHandlers: failedHandlers)))"
    if isWhole, !ending.isEmpty { line += ": \(ending)" }
    // If operations report the failure, the reason of the run would only repeat it.
    if let reason = run.tellingReason, run.counts.failed == 0, run.failedHandler == nil {
      line += ": \(TerminalText.oneLine(reason))"
    }
    return line
  }

  /// The first line of ``text``.
  var line: String { Self.line(of: outcome.run, failedHandlers: board.failedHandlers, style: style) }

  var text: String {
    let run = outcome.run
    var text = line + "\n"
    let logged = board.loggedFailures
    let short = run.id.short
    switch run.state {
    case .succeeded: text += results
    case .failed:
      for failure in logged.prefix(3) {
        let option = failure.hasFailedItems ? " --failed" : ""
        text += "  \(CommandHint.command("penstock logs \(short) \(ShellText.quoted(failure.name))\(option)"))\n"
      }
      if logged.isEmpty { text += "  \(CommandHint.command("penstock explain \(short)"))\n" }
      text += "  \(CommandHint.command("penstock retry \(short)"))\n"
    case .cancelled: text += "  \(CommandHint.command("penstock retry \(short)"))\n"
    case .interrupted: text += "  \(CommandHint.command("penstock resume \(short)"))\n"
    case .queued, .running: break
    }
    return text
  }

  /// The requested results, unformatted: strings as they are, other values as JSON on one line. If none was requested, the declared results of operations
  /// that no other depends on: the output of the rest is a log.
  var results: String {
    if let names = presentation.results {
      return names.compactMap { outcome.results[$0] }.map { value in
        if case .string(let text) = value { text + "\n" } else { value.text + "\n" }
      }.joined()
    }
    guard let pipeline = presentation.pipeline else { return "" }
    let needed = Set(pipeline.operations.flatMap(\.dependencies))
    let shown = pipeline.operations.filter { !needed.contains($0.index) && $0.declaresResult }.compactMap { operation in
      outcome.results[operation.name].flatMap { Self.lines(of: $0) }.map { (operation.name, $0) }
    }
    guard !shown.isEmpty else { return "" }
    var text = "\n"
    for (name, lines) in shown.prefix(5) {
      if shown.count > 1 { text += style.paint(TerminalText.visible(name), .bold) + "\n" }
      let indentation = shown.count > 1 ? "  " : ""
      for line in lines.prefix(Self.lineLimit) { text += "\(indentation)\(line)\n" }
      if lines.count > Self.lineLimit {
        let rest = Count.of(lines.count - Self.lineLimit, "more line")
        text +=
          "\(indentation)… \(rest): \(CommandHint.command("penstock history show \(outcome.run.id.short) --json"))\n"
      }
    }
    if shown.count > 5 { text += "… and the results of \(Count.of(shown.count - 5, "more operation"))\n" }
    return text
  }

  private static func lines(of result: JSONValue) -> [String]? {
    let text: String
    switch result {
    case .null: return nil
    case .string(let string): text = string
    default: text = result.pretty()
    }
    guard !text.isEmpty else { return nil }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { LogTail.visible(String($0)) }
  }
}

extension OperationDefinition {
  /// Whether the file declares a result: with `result`, or because the operation is only a value.
  fileprivate var declaresResult: Bool {
    if case .value = action { return true }
    return result != nil
  }
}
