import CProcess
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports

/// Draws a run as a tree that is updated in place, and leaves its last state on the terminal.
final class LivePresenter: RunPresenter {
  private var board: RunBoard
  private let presentation: RunPresentation
  private let style: Style
  private var screen = LiveScreen()
  private var size = TerminalSize.current()
  private var notices: [String] = []
  private var isOver = false
  /// Whether nothing is drawn, because the terminal belongs to another process.
  private var isHidden = false
  private var columns = TreeColumns()
  private var waits = WaitWatch()
  /// Nil if questions cannot be answered by keys.
  private let keys: KeyInput?
  /// The question that keys answer: it is shown in full, with the keys.
  private var asked: RunBoard.Question?
  /// The question that was drawn last, and the time from which keys answer it.
  private var drawn: (question: RunBoard.Question, listensFrom: ContinuousClock.Instant)?
  /// The questions answered by keys here; their operations may still be waiting for a moment.
  private var answered: Set<RunBoard.Question> = []

  /// A pause so that a key meant for one question does not answer the next one, which has taken its place.
  private static let pauseBetweenQuestions: Duration = .milliseconds(500)

  init(_ presentation: RunPresentation) {
    self.presentation = presentation
    board = RunBoard(pipeline: presentation.pipeline)
    style = Style(presentation.color, for: .standard)
    keys = presentation.answer == nil ? nil : KeyInput()
  }

  var keyDescriptor: Int32? { keys?.descriptor }

  func readKeys() {
    guard let key = keys?.read(), let question = asked, let record = board.runs[question.run]?.record else { return }
    answered.insert(question)
    do {
      try presentation.answer?(record, question.operation, key == .yes)
    } catch {
      notices.append(TerminalText.oneLine(FailureReport(error)?.description ?? "\(error)"))
    }
    draw()
  }

  /// Durations are shown to a tenth of a second at first; five updates per second look live and cost next to nothing.
  let tickMilliseconds: Int32? = 200

  func show(_ events: [RunEvent]) {
    for event in events {
      board.apply(event)
      if case .notice(_, let text) = event { notices.append(TerminalText.visible(text)) }
      // The reason why it was queued no longer applies.
      if presentation.isFollowed, case .run(let record) = event, record.state == .running { notices = [] }
    }
    draw()
  }

  func tick() { draw() }

  func redraw() {
    let former = size
    size = TerminalSize.current()
    if size.columns != former.columns { columns = TreeColumns() }
    screen.resize(from: former.columns, to: size.columns)
    draw()
  }

  func leave() {
    keys?.close()
    asked = nil
    emit(screen.erase())
    penstock_end_hidden_cursor()
  }

  /// Stops drawing. The text on the terminal is left there: other processes may have written below it.
  func hide() {
    isHidden = true
    keys?.close()
    asked = nil
    emit(screen.abandon())
    penstock_end_hidden_cursor()
  }

  /// Resumes drawing, below what other processes have written. The size is read again: a background process is not notified of changes.
  func show() {
    isHidden = false
    redraw()
  }

  func cancelling(times: Int) {
    notices.append(board.cancelling(times: times))
    draw()
  }

  func conclude(_ outcome: RunOutcome) {
    isOver = true
    // The final tree may be longer than the terminal, because it scrolls away, but not thousands of lines.
    var layout = TreeLayout(board: board, style: style, now: .now, width: size.columns - 1, height: 200)
    layout.isFinal = true
    layout.columns = columns
    var text = layout.lines().map { $0 + "\n" }.joined()
    let failed = failedOperations
    for record in failed.prefix(5) {
      let attempt = board.runs[record.run]?.attempts[record.ordinal]
      let tail =
        presentation.output == .none ? [] : LogTail.lines(of: attempt, workspace: presentation.workspace)
      let name = TerminalText.visible(board.prefix(of: record.run)) + record.title
      let reason = TerminalText.oneLine(StateReason.text(of: record, now: nil))
      let isAllowed = board.runs[record.run]?.isAllowedFailure(record) ?? false
      let head =
        style.paint(name, isAllowed ? .yellow : .boldRed) + (isAllowed ? " (allowed to fail)" : "") + ": \(reason)"
      text += "\n" + TerminalLines.wrapped(head, width: size.columns, indentation: 2) + "\n"
      for line in tail { text += "  \(line)\n" }
    }
    let conclusion = Conclusion(outcome, presentation, board, style: style).text
    // Only the first line is wrapped: results and commands can be pasted.
    let end = conclusion.firstIndex(of: "\n") ?? conclusion.endIndex
    text += "\n" + TerminalLines.wrapped(String(conclusion[..<end]), width: size.columns, indentation: 2)
    emit(text + conclusion[end...])
  }

  private var failedOperations: [OperationRecord] {
    // The failure of an item or in a nested run is more specific than that of the operation that contains it.
    let failed = board.runs.values.flatMap { entry in
      entry.operations.values.filter { record in
        guard record.state == .failed else { return false }
        let hasFailedItem = entry.items[record.ordinal]?.contains { entry.operations[$0]?.state == .failed } ?? false
        return !hasFailedItem && entry.nested[record.name] == nil
      }
    }
    return failed.sorted { ($0.endedAt ?? .now, $0.ordinal) < ($1.endedAt ?? .now, $1.ordinal) }
  }

  private func draw() {
    guard !isOver, !isHidden, board.root != nil else { return }
    let notes = notices.suffix(3).map { style.paint(TerminalText.fitted($0, width: size.columns - 1), .yellow) }
    let height = max(3, size.rows - 2 - notes.count)
    var layout = TreeLayout(board: board, style: style, now: .now, width: size.columns - 1, height: height)
    layout.columns = columns
    waits.look(at: board, presentation.waits)
    layout.waits = waits
    layout.answerable = questionForKeys()
    let lines = layout.lines() + notes
    columns = layout.columns
    asked = layout.isAnswerableShown && keys?.open() == true ? layout.answerable : nil
    if asked == nil { keys?.close() }
    penstock_begin_hidden_cursor(TextOutput.standard.descriptor)
    emit(screen.frame(lines))
  }

  /// Returns the question that keys can answer, if any: the one that was asked first.
  private func questionForKeys() -> RunBoard.Question? {
    guard let keys, keys.isAvailable, let question = board.questions.first(where: { !answered.contains($0) }) else {
      drawn = nil
      return nil
    }
    let now = ContinuousClock.now
    if drawn?.question != question {
      drawn = (question, drawn == nil && answered.isEmpty ? now : now + Self.pauseBetweenQuestions)
    }
    return drawn.map { $0.listensFrom <= now } == true ? question : nil
  }

  private func emit(_ text: String) {
    guard !text.isEmpty else { return }
    TextOutput.standard.write(text)
    TextOutput.standard.flush()
  }
}

/// The lines on the terminal, and the bytes that change them into others.
///
/// A frame is written at once between the marks for synchronized output; it overwrites lines in place and erases only the rest, to avoid
/// flickering.
struct LiveScreen {
  private var lines: [String] = []
  /// The number of terminal rows that they occupy; more than lines once the terminal has become narrower.
  private var rows = 0
  private var isCursorHidden = false

  /// Returns the bytes that make the terminal show exactly `next`; empty if it already does.
  mutating func frame(_ next: [String]) -> String {
    guard next != lines || !isCursorHidden else { return "" }
    var text = "\u{1B}[?2026h"
    if !isCursorHidden { text += "\u{1B}[?25l" }
    isCursorHidden = true
    text += "\r" + (rows > 0 ? "\u{1B}[\(rows)A" : "")
    for line in next { text += line + "\u{1B}[K\n" }
    if rows > next.count { text += "\u{1B}[J" }
    lines = next
    rows = next.count
    return text + "\u{1B}[?2026l"
  }

  /// Returns the bytes that erase the lines and restore the cursor.
  mutating func erase() -> String {
    guard isCursorHidden else { return "" }
    defer { self = LiveScreen() }
    return "\r" + (rows > 0 ? "\u{1B}[\(rows)A" : "") + "\u{1B}[J\u{1B}[?25h"
  }

  /// Returns the bytes that restore the cursor, leaving everything else as it is.
  mutating func abandon() -> String {
    guard isCursorHidden else { return "" }
    self = LiveScreen()
    return "\u{1B}[?25h"
  }

  /// Adapts to a new width of the terminal, which has wrapped lines that no longer fit.
  mutating func resize(from former: Int, to columns: Int) {
    guard columns < former, columns > 0 else { return }
    rows = lines.reduce(0) { $0 + max(1, (Self.width(of: $1) + columns - 1) / columns) }
    lines = []
  }

  /// Returns the width in columns of a line that contains colors.
  static func width(of line: String) -> Int {
    var width = 0
    var isEscape = false
    for scalar in line.unicodeScalars {
      if isEscape {
        if scalar == "m" { isEscape = false }
      } else if scalar == "\u{1B}" {
        isEscape = true
      } else {
        width += TerminalText.width(of: scalar)
      }
    }
    return width
  }
}
