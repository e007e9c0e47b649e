import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Prints one line per event, for pipes, files and simple terminals. A quiet run prints only failures.
final class PlainPresenter: RunPresenter {
  private var board: RunBoard
  private let presentation: RunPresentation
  private let style: Style
  /// The destination of lines: failures of a quiet run go to standard error.
  private let output: TextOutput
  /// Whether it only tracks the run, because another presenter shows it.
  var isMuted = false
  private var started: Set<Instance> = []
  /// The attempt whose retry was last reported, by instance.
  private var retried: [Instance: Int] = [:]
  private var isRunTold = false
  /// Consecutive reused operations or items, which are reported together.
  private var takenOver: TakenOver?
  private var waits = PlainWaits()

  /// Operations, or items of one loop, that were reused consecutively.
  private struct TakenOver {
    let run: RunID
    /// The loop; nil for operations.
    let loop: Int?
    /// The first ones.
    var records: [OperationRecord] = []
    var count = 0
    var sources: Set<RunID?> = []

    /// The maximum number that are reported on separate lines; more share a single line.
    var mostLines: Int { loop == nil ? 10 : 1 }

    mutating func add(_ record: OperationRecord) {
      if records.count < mostLines { records.append(record) }
      sources.insert(record.reusedFrom)
      count += 1
    }
  }

  /// When this process began to report the run: unless another process runs it, no reported event is earlier.
  private let began = RecordTime.now
  private var clock: (second: Int64, text: String) = (0, "")

  /// Follows the output of operations, if that is shown as it arrives.
  private var stream: OutputFollower?
  /// The lines that it has passed on.
  private var streamed = ""

  private struct Instance: Hashable {
    let run: RunID
    let ordinal: Int
  }

  init(_ presentation: RunPresentation) {
    self.presentation = presentation
    board = RunBoard(pipeline: presentation.pipeline)
    output = presentation.isQuiet ? .error : .standard
    style = Style(presentation.color, for: output)
    guard presentation.output == .stream else { return }
    stream = OutputFollower(workspace: presentation.workspace) { [unowned self] name, isError, line in
      let mark = style.paint(isError ? "!" : "|", isError ? .red : .dim)
      streamed += "\(style.paint(TerminalText.visible(name), .cyan)) \(mark) \(line)\n"
    }
  }

  /// The interval at which files are read while operations write, and the quiet time after which reused operations are reported. Waits are checked each
  /// second while one may become long.
  var tickMilliseconds: Int32? {
    stream?.isFollowing == true || takenOver != nil ? 100 : waits.mayBecomeLong && !isMuted ? 1000 : nil
  }

  func tick() {
    stream?.look()
    writeStreamed()
    var text = ""
    tellOfTakenOver(to: &text)
    if !isMuted, !presentation.isQuiet {
      for wait in waits.lasting(on: board, presentation.waits) {
        let reason = TerminalText.oneLine(wait.words)
        text += "\(time(.now)) \(TerminalText.visible(wait.subject)) \(style.paint("waiting", .yellow)) \(reason)\n"
      }
    }
    write(text)
  }

  private func write(_ text: String) {
    guard !text.isEmpty, !isMuted else { return }
    output.write(text)
    output.flush()
  }

  private func writeStreamed() {
    guard !streamed.isEmpty else { return }
    let text = streamed
    streamed = ""
    write(text)
  }

  /// Forwards an event that concerns the output of operations.
  private func follow(_ event: RunEvent) {
    switch event {
    case .output(let run, let ordinal, let standardOutput, let standardError):
      stream?.begin(
        run, ordinal, name: fullName(ordinal, in: run), standardOutput: standardOutput, standardError: standardError)
    case .attempt(let attempt) where attempt.state != .running:
      stream?.end(attempt, name: fullName(attempt.ordinal, in: attempt.run))
    default: break
    }
  }

  private func fullName(_ ordinal: Int, in run: RunID) -> String {
    TerminalText.visible(board.prefix(of: run)) + (board.runs[run]?.operations[ordinal]?.title ?? "")
  }

  func show(_ events: [RunEvent]) {
    var text = ""
    if !presentation.isQuiet { waits.noteChange() }
    for event in events {
      board.apply(event)
      if stream != nil {
        follow(event)
        text += streamed
        streamed = ""
      }
      switch event {
      case .run(let record): add(record, to: &text)
      case .operation(let record): add(record, to: &text)
      case .notice(_, let notice):
        if !presentation.isQuiet { text += "\(time(.now)) \(TerminalText.visible(notice))\n" }
      case .attempt, .approval, .progress, .output: break
      }
    }
    write(text)
  }

  func cancelling(times: Int) {
    guard !presentation.isQuiet else { return }
    TextOutput.error.writeMessage("penstock: \(board.cancelling(times: times))")
  }

  func conclude(_ outcome: RunOutcome) {
    if presentation.isQuiet {
      let conclusion = Conclusion(outcome, presentation, board, style: style)
      if outcome.run.state != .succeeded {
        TextOutput.error.writeLine(conclusion.line)
      } else if presentation.results != nil {
        TextOutput.standard.write(conclusion.results)
      }
      return
    }
    var text = ""
    tellOfTakenOver(to: &text)
    output.write(text + Conclusion(outcome, presentation, board, style: style).text)
    output.flush()
  }

  private func add(_ record: RunRecord, to text: inout String) {
    guard record.id == board.root, record.state == .running, !presentation.isQuiet, !isRunTold else { return }
    isRunTold = true
    let count = Count.of(
      record.counts.operations > 0 ? record.counts.operations : presentation.pipeline?.operations.count ?? 0,
      "operation")
    let verb = presentation.isResumed ? "resumed" : "started"
    let name = TerminalText.visible(record.pipeline)
    let at = time(presentation.isResumed ? .now : record.startedAt)
    text += "\(at) run \(record.id.short) of \(name) \(verb) (\(count))\n"
  }

  /// Reports reused operations or items.
  private func tellOfTakenOver(to text: inout String) {
    guard let group = takenOver else { return }
    takenOver = nil
    guard group.count > group.mostLines else {
      for record in group.records { addLine(record, to: &text) }
      return
    }
    let prefix = board.prefix(of: group.run)
    let loop = group.loop.map { prefix + (board.name(of: $0, in: group.run) ?? "") }
    let name = TerminalText.visible(loop ?? String(prefix.dropLast()))
    let what = Count.of(group.count, group.loop == nil ? "operation" : "item")
    let source = group.sources.count == 1 ? group.sources.first.flatMap { $0 }.map { "run \($0.short)" } : nil
    let word = style.paint(OperationState.reused.rawValue, StatePaint.of(OperationState.reused))
    text += "\(time(.now)) \(name.isEmpty ? "" : name + " ")\(what) \(word) from \(source ?? "earlier runs")\n"
  }

  private func add(_ record: OperationRecord, to text: inout String) {
    if record.state == .reused, !presentation.isQuiet {
      if takenOver?.run != record.run || takenOver?.loop != record.parent {
        tellOfTakenOver(to: &text)
        takenOver = TakenOver(run: record.run, loop: record.parent)
      }
      takenOver?.add(record)
      return
    }
    if let group = takenOver, group.run == record.run {
      let isNext =
        group.loop == nil
        ? record.state != .pending
        : [record.parent, record.ordinal].contains(group.loop) && (record.state.isFinal || record.state == .retrying)
      if isNext { tellOfTakenOver(to: &text) }
    }
    addLine(record, to: &text)
  }

  private func addLine(_ record: OperationRecord, to text: inout String) {
    guard let words = words(for: record) else { return }
    if presentation.isQuiet, record.state != .failed { return }
    let name = TerminalText.visible(board.prefix(of: record.run)) + record.title
    // A reused record has the times of the run that it comes from, and a resumed one those of its former host.
    let recorded = record.endedAt ?? record.waitingSince ?? record.startedAt
    let isFormer = recorded.map { !presentation.isFollowed && $0 < began || record.state == .reused } ?? true
    let at = time(isFormer ? .now : recorded)
    text += "\(at) \(name) \(words)\n"
    if record.state == .waiting, let command = StateReason.answer(to: record) {
      text += "         \(TerminalText.visible(command))\n"
    }
    guard record.state == .failed, !isMuted, presentation.output == .failed else { return }
    let attempt = board.runs[record.run]?.attempts[record.ordinal]
    for line in LogTail.lines(of: attempt, workspace: presentation.workspace) { text += "           \(line)\n" }
  }

  /// Returns the text that follows the name of an operation; nil if there is nothing to report.
  private func words(for record: OperationRecord) -> String? {
    let reason = TerminalText.oneLine(StateReason.text(of: record, now: nil))
    switch record.state {
    case .pending: return nil
    case .running:
      guard isStartTold(record), started.insert(Instance(run: record.run, ordinal: record.ordinal)).inserted else {
        return nil
      }
      let items = StateReason.items(of: record).map { " (\(Count.of(Int($0), "item")))" }
      return "started" + (items ?? "")
    case .waiting:
      // Waits for a slot, a position or the next round end by themselves; reporting each of them would hide the rest.
      switch record.operationReason {
      case .concurrency?, .place?, .round?: return nil
      case .resources(let names)?:
        let held = isMuted ? "" : presentation.waits?.holding(names) ?? ""
        return "\(style.paint("waiting", .yellow)) \(reason)\(TerminalText.oneLine(held))"
      default: return "\(style.paint("waiting", .yellow)) \(reason)"
      }
    case .retrying:
      let retry = Instance(run: record.run, ordinal: record.ordinal)
      guard retried.updateValue(record.attempts, forKey: retry) != record.attempts else { return nil }
      return style.paint(reason, .yellow)
    case .succeeded: return paint(record, DurationText.format(from: record.startedAt, to: record.endedAt))
    case .failed:
      let attempts = record.attempts > 1 ? " after \(record.attempts) attempts" : ""
      let took = DurationText.format(from: record.startedAt, to: record.endedAt)
      let allowed = board.runs[record.run]?.isAllowedFailure(record) == true ? "(allowed to fail)" : ""
      let head = [took.isEmpty ? attempts : took + attempts, allowed].filter { !$0.isEmpty }.joined(separator: " ")
      return paint(record, head + ": \(reason)")
    case .cancelled, .skipped, .reused:
      return paint(record, reason.isEmpty || StateReason.joint(before: reason) == " " ? reason : ": \(reason)")
    }
  }

  /// Returns whether the start is reported. An operation without a process ends as it begins, and items are reported when they end.
  private func isStartTold(_ record: OperationRecord) -> Bool {
    record.parent == nil && board.runs[record.run]?.definition(of: record)?.action.isWork != false
  }

  private func paint(_ record: OperationRecord, _ rest: String) -> String {
    let word = style.paint(StateReason.word(of: record), StatePaint.of(record.state))
    return rest.isEmpty ? word : rest.hasPrefix(":") ? word + rest : "\(word) \(rest)"
  }

  private func time(_ time: RecordTime?) -> String {
    let time = time ?? .now
    let second = time.microseconds / 1_000_000
    if second != clock.second { clock = (second, ClockText.moment(time, seenFrom: began)) }
    return clock.text
  }
}
