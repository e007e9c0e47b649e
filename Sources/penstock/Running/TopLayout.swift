import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

/// Lays out the activity in a workspace: runs, unanswered questions, and leases, each under a heading.
struct TopLayout {
  let activity: Activity
  let workspace: String
  let now: RecordTime
  /// Returns the short id of a run.
  let short: (RunID) -> String
  let style: Style
  /// The available columns; nil for no limit.
  let width: Int?
  /// The available rows; nil for no limit.
  var height: Int?

  /// Returns the lines from top to bottom.
  func lines() -> [String] {
    let (runs, questions, leases) = (runLines, questionLines, leaseLines)
    var rooms = [runs.count, questions.count, leases.count].map { Int?($0) }
    if let height {
      // The header, and an empty line before each part.
      let parts = rooms.count { $0 != 0 }
      rooms = Self.shares(of: max(parts, height - 1 - parts), among: [questions.count, runs.count, leases.count])
      rooms.swapAt(0, 1)
    }
    var lines = [header]
    for (part, room) in zip([runs, questions, leases], rooms) where !part.isEmpty {
      lines.append("")
      lines += cut(part, to: room ?? part.count)
    }
    return height.map { Array(lines.prefix($0)) } ?? lines
  }

  /// Divides `room`: each need is met up to an equal share, and the remainder goes to the first of those that need more.
  static func shares(of room: Int, among needs: [Int]) -> [Int?] {
    let equal = room / max(1, needs.count { $0 > 0 })
    var shares = needs.map { min($0, equal) }
    var left = room - shares.reduce(0, +)
    for index in needs.indices {
      let more = min(left, needs[index] - shares[index])
      shares[index] += more
      left -= more
    }
    return shares
  }

  private func cut(_ part: [String], to room: Int) -> [String] {
    guard part.count > room, room > 0 else { return part.prefix(room) + [] }
    return part.prefix(room - 1) + [style.paint("… \(Count.of(part.count - room + 1, "more line"))", .dim)]
  }

  private var header: String {
    let counts =
      [
        Count.of(activity.runs.count, "run"), Count.of(activity.questions.count, "question"),
        Count.of(activity.leases.count, "lease"),
      ].joined(separator: ", ") + (activity.moreQueued > 0 ? ", \(activity.moreQueued) more queued" : "")
    let place = " in \(TerminalText.visible(workspace))"
    let fitted = width.map { TerminalText.fitted(counts + place, width: $0) } ?? counts + place
    guard fitted.hasPrefix(counts) else { return fitted }
    return style.paint(counts, .bold) + style.paint(String(fitted.dropFirst(counts.count)), .dim)
  }

  private func rendered(_ table: Table) -> [String] {
    table.rows.isEmpty
      ? []
      : table.render(width: width, style: style).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map(String.init)
  }

  private var runLines: [String] {
    var table = Table([
      .init("RUN"), .init("PIPELINE"), .init("STATE", paint: { StatePaint.ofWord($0) }), .init("TIME", right: true),
      .init("DONE", right: true), .init("NOW"),
    ])
    for run in activity.runs {
      let counts = run.record.counts
      let done = counts.succeeded + counts.failed + counts.skipped + counts.cancelled + counts.reused
      table.add(
        short(run.record.id), run.record.pipeline, run.record.state.rawValue,
        DurationText.format(from: run.record.startedAt ?? run.record.createdAt, to: now),
        "\(done) of \(counts.operations)", Self.operations(of: run))
    }
    return rendered(table)
  }

  /// Returns the active operations of a run: first those that are running, then those that wait.
  static func operations(of run: Activity.ActiveRun) -> String {
    let running = run.operations.filter { $0.state == .running }.map(\.name)
    let others = run.operations.filter { $0.state != .running }.map { operation in
      operation.question == nil ? "\(operation.name) (\(operation.state.rawValue))" : "\(operation.name) (asks)"
    }
    return (running + others).joined(separator: ", ")
  }

  private var questionLines: [String] {
    guard !activity.questions.isEmpty else { return [] }
    var lines = [style.paint("QUESTION", .bold)]
    for question in activity.questions {
      let age = DurationText.format(from: question.approval.requestedAt, to: now)
      let rest = " of run \(short(question.run.id)), for \(age)"
      let path = NameText(question.path, label: nil)
      // If only one of the two fits, the name takes precedence.
      let shownPath = width.map { path.fitted(width: max($0 - rest.count, min($0, Self.shortestPath))) } ?? path.text
      lines.append(fitted(shownPath + rest, style: .yellow))
      let message = TerminalText.wrapped(question.approval.message, width: max(2, (width ?? 100) - 2))
      lines += message.map { "  \($0)" }
      let command = Self.command(for: question, run: short(question.run.id))
      lines += TerminalLines.command(command, width: width.map { max(2, $0 - 2) } ?? Int.max).map { "  \($0)" }
    }
    return lines
  }

  /// The minimum width for the name of an operation that asks.
  private static let shortestPath = 12

  /// Returns the command that answers a question; `run` is the id of its run, or a prefix of it.
  static func command(for question: OpenQuestions.Question, run: String) -> String {
    CommandHint.command("penstock approve \(run) \(ShellText.quoted(question.approval.operation))")
  }

  private var leaseLines: [String] {
    var table = Table([.init("LEASE"), .init("SINCE", right: true), .init("PROCESS", right: true), .init("HOLDER")])
    for lease in activity.leases {
      let since = DurationText.format(from: RecordTime(microseconds: lease.acquiredAt), to: now)
      table.add(lease.name, since, String(lease.owner.pid), lease.holder)
    }
    return rendered(table)
  }

  private func fitted(_ text: String, style paint: Style.Paint?) -> String {
    style.paint(width.map { TerminalText.fitted(text, width: $0) } ?? text, paint)
  }
}
