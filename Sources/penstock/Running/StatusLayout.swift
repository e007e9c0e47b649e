import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Lays out the host of a workspace, with a line for each pipeline that it serves.
struct StatusLayout {
  let report: StatusReport
  /// The pipelines of the report that are shown.
  let entries: [StatusReport.Entry]
  let workspace: String
  let style: Style
  /// The available columns; nil for no limit.
  let width: Int?
  /// The available rows; nil for no limit.
  var height: Int?

  /// Returns the lines from top to bottom.
  func lines() -> [String] {
    var lines = height == nil ? [hostLine] : TerminalText.wrapped(hostLine, width: width ?? .max)
    for problem in report.problems {
      let text = "  " + TerminalText.oneLine(problem)
      lines += (height == nil ? [text] : TerminalText.wrapped(text, width: width ?? .max))
        .map { style.paint($0, .boldRed) }
    }
    if !entries.isEmpty {
      lines += table.render(width: width, style: style).split(separator: "\n", omittingEmptySubsequences: false)
        .dropLast().map(String.init)
    }
    guard let height, lines.count > height else { return lines }
    let kept = max(1, height - 1)
    return lines.prefix(kept) + [style.paint("… \(Count.of(lines.count - kept, "more line"))", .dim)]
  }

  private var table: Table {
    let isUnicode = style.isUnicode
    var table = Table([
      .init("PIPELINE"), .init("STATE", paint: { Self.paint($0) }), .init("RUNS"), .init("NEXT"), .init("REASON"),
    ])
    for entry in entries {
      let strip = entry.runs.reversed().map { StatePaint.glyph($0.state, isUnicode: isUnicode) }.joined()
      table.add(
        entry.pipeline.name, entry.state, strip, entry.next.words,
        TerminalText.oneLine(CommandHint.complete(firstLine(of: entry.reason))))
    }
    return table
  }

  /// Returns the first line of a reason: a finding is followed by the line of the file that it is about.
  private func firstLine(of reason: String?) -> String {
    reason?.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
  }

  private var hostLine: String {
    let workspace = TerminalText.visible(workspace)
    guard let host = report.host else {
      return "No host has served the workspace '\(workspace)' yet; start one with `penstock serve`."
    }
    let counts = "\(report.running) running, \(report.queued) queued"
    switch host.state {
    case .stopped:
      return
        "No host serves '\(workspace)': the last one stopped \(ClockText.ago(host.endedAt ?? host.startedAt)); \(counts). `\(host.command)` starts it again."
    case .died:
      return
        "No host serves '\(workspace)': process \(host.owner.pid) on \(host.host) is gone, and its end is not recorded, as after a crash, a kill or with a full disk; \(counts). `\(host.command)` starts it again."
    case .starting, .ready, .draining:
      return
        "Host \(host.state.rawValue) in process \(host.owner.pid) on \(host.host) since \(ClockText.dateAndTime(host.startedAt)): \(counts)."
    }
  }

  private static func paint(_ state: String) -> Style.Paint? {
    switch state {
    case "invalid": .boldRed
    case "running": .cyan
    case "paused", "queued": .yellow
    default: nil
    }
  }
}
