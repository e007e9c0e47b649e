import PipelineLanguage
import RunHistory
import RunReports

/// Lays out a run as lines: its operations, with the items of loops and nested runs below them, folded to fit.
struct TreeLayout {
  let board: RunBoard
  let style: Style
  let now: RecordTime
  /// The available columns and rows.
  let width: Int
  let height: Int
  /// Whether the run has ended: then nothing is active, and only failures are unfolded.
  var isFinal = false
  /// The column widths, which ``lines()`` fits to the rows.
  var columns = TreeColumns()
  /// What is waited for without a record of it.
  var waits = WaitWatch()
  /// The question that keys may answer; nil if they answer none.
  var answerable: RunBoard.Question?
  /// Whether ``lines()`` has drawn that question in full.
  private(set) var isAnswerableShown = false

  /// The maximum number of items of a loop that are shown individually.
  private static let itemLimit = 6

  init(board: RunBoard, style: Style, now: RecordTime, width: Int, height: Int) {
    self.board = board
    self.style = style
    self.now = now
    self.width = width
    self.height = height
  }

  /// Returns the lines from top to bottom, each at most `width` columns wide.
  mutating func lines() -> [String] {
    guard let root = board.rootEntry else { return [] }
    var rows: [TreeRow] = []
    add(root, depth: 0, to: &rows)
    rows = TreeFolding.fold(rows, height: max(1, height - 1))
    isAnswerableShown = rows.contains { $0.offersKeys && !$0.below.isEmpty }
    columns.fit(rows, width: width)
    return [header(root)]
      + rows.flatMap { [$0.line(columns, width: width, style: style)] + $0.below }
  }

  /// The hint for the keys that answer a question. It is shown only below that question, and only if the question is shown in full.
  private static let keys = "y approves, n rejects"

  private func header(_ entry: RunBoard.Entry) -> String {
    let record = entry.record
    let names = entry.pipeline?.operations.map(\.name) ?? Array(entry.ordinals.keys)
    let ended = names.count { name in entry.ordinals[name].flatMap { entry.operations[$0]?.state.isFinal } ?? false }
    let total = names.count
    let state = isFinal || record.state != .running ? record.state.rawValue : "running"
    let took = DurationText.format(from: record.startedAt, to: record.endedAt ?? now)
    let rest = isFinal ? " \(state) \(took)" : " \(state)\(took.isEmpty ? "" : " \(took)"), \(ended) of \(total) done"
    let name = TerminalText.fitted(TerminalText.visible(record.pipeline), width: max(8, width - rest.count - 12))
    return style.paint(name, .bold)
      + style.paint(
        TerminalText.fitted(" \(record.id.short)\(rest)", width: width - TerminalText.width(of: name)), .dim)
  }

  private func add(_ entry: RunBoard.Entry, depth: Int, to rows: inout [TreeRow]) {
    var shown: Set<Int> = []
    for definition in entry.pipeline?.operations ?? [] {
      guard let ordinal = entry.ordinals[definition.name], let record = entry.operations[ordinal] else {
        rows.append(pendingRow(definition, in: entry, depth: depth))
        continue
      }
      shown.insert(ordinal)
      add(record, in: entry, depth: depth, to: &rows)
    }
    // Handlers, or all operations if there is no definition.
    for ordinal in entry.ordinals.values.sorted() where !shown.contains(ordinal) {
      if let record = entry.operations[ordinal] { add(record, in: entry, depth: depth, to: &rows) }
    }
  }

  private func pendingRow(_ definition: OperationDefinition, in entry: RunBoard.Entry, depth: Int) -> TreeRow {
    var open: [String] = []
    for index in definition.dependencies {
      guard let name = entry.pipeline?.operations[index].name, open.count < 4 else { break }
      let isOver = entry.ordinals[name].flatMap { entry.operations[$0]?.state.isFinal } ?? false
      if !isOver { open.append(TerminalText.visible(name)) }
    }
    let wait = open.isEmpty ? waits.slot(for: definition.name, in: entry.record.id) : nil
    let detail = open.isEmpty ? wait.map { "waits for \($0.awaited)" } ?? "" : "after " + open.joined(separator: ", ")
    return TreeRow(depth: depth, state: .pending, name: TerminalText.visible(definition.name), time: "", detail: detail)
  }

  private func add(_ record: OperationRecord, in entry: RunBoard.Entry, depth: Int, to rows: inout [TreeRow]) {
    rows.append(row(record, in: entry, depth: depth))
    if let items = entry.items[record.ordinal] { addItems(items, in: entry, depth: depth + 1, to: &rows) }
    addNested(record, in: entry, depth: depth, to: &rows)
  }

  private func addNested(_ record: OperationRecord, in entry: RunBoard.Entry, depth: Int, to rows: inout [TreeRow]) {
    guard let id = entry.nested[record.name], let nested = board.runs[id], record.state != .succeeded, depth < 20 else {
      return
    }
    add(nested, depth: depth + 1, to: &rows)
  }

  private func addItems(_ items: [Int], in entry: RunBoard.Entry, depth: Int, to rows: inout [TreeRow]) {
    let records = items.compactMap { entry.operations[$0] }
    let failed = records.filter { $0.state == .failed }
    let active = isFinal ? [] : records.filter { !$0.state.isFinal }
    let asking = active.filter { $0.question != nil }
    let going = active.filter { $0.question == nil }
    let places = max(0, Self.itemLimit - asking.count)
    let chosen = asking + going.prefix(places) + failed.prefix(max(2, places - going.count))
    let shown = Set(chosen.map(\.ordinal))
    for record in chosen.sorted(by: { $0.ordinal < $1.ordinal }) {
      var item = row(record, in: entry, depth: depth)
      item.isBelowOperation = true
      rows.append(item)
      addNested(record, in: entry, depth: depth, to: &rows)
    }
    var hidden: [String: Int] = [:]
    for record in active + failed where !shown.contains(record.ordinal) {
      hidden[record.state.rawValue, default: 0] += 1
    }
    if !hidden.isEmpty { rows.append(.more(depth: depth, hidden)) }
  }

  private func row(_ record: OperationRecord, in entry: RunBoard.Entry, depth: Int) -> TreeRow {
    var details: [String] = []
    var time = ""
    switch record.state {
    case .running, .succeeded, .failed: time = DurationText.format(from: record.startedAt, to: record.endedAt ?? now)
    case .waiting: time = DurationText.format(from: record.waitingSince, to: now)
    case .pending, .retrying, .cancelled, .skipped, .reused: break
    }
    let definition = entry.definition(of: record)
    if record.state == .running, record.attempts > 1 {
      let limit = definition.map { " of \($0.retry.limit + 1)" } ?? ""
      details.append("attempt \(record.attempts)\(limit)")
    }
    if record.state == .running, let progress = entry.progress[record.ordinal] {
      details.append(TerminalText.oneLine(progress.text))
    }
    let items = entry.items[record.ordinal]
    let failure = items.flatMap { Self.failure(of: $0, loop: record, in: entry) }
    if let items, failure == nil { details.append(Self.summary(of: items, loop: record, in: entry)) }
    if let slot = waits.slot(for: record.name, in: record.run) { details.append("waits for \(slot.awaited)") }
    let question = isFinal ? nil : record.question
    let held = waits.holding[WaitWatch.Place(run: record.run, operation: record.name)] ?? ""
    let reason = failure ?? TerminalText.oneLine(StateReason.text(of: record, now: now) + held)
    let isAllowed = entry.isAllowedFailure(record)
    if question != nil {
      details.append("waits for approval")
    } else if !reason.isEmpty {
      let mark = width < TreeColumns.narrow ? "allowed: " : "allowed to fail: "
      details.append((isAllowed ? mark : "") + Self.detail(reason, of: record))
    }
    var row = TreeRow(
      depth: depth, state: record.state, name: TerminalText.visible(record.name), time: time,
      detail: details.joined(separator: " · "), word: StateReason.word(of: record), label: record.label)
    row.isAllowedFailure = isAllowed
    if let question { (row.below, row.offersKeys) = lines(of: question, in: record, depth: depth) }
    return row
  }

  /// The maximum length of a question, in Unicode scalars; the rest is left to `explain`.
  private static let longestQuestion = 10_000

  /// Returns a question, wrapped, with the command that answers it and the keys. If it does not fit, only its beginning without the keys: a
  /// question must be seen in full to be approved.
  private func lines(
    of question: OperationReason.Question, in record: OperationRecord, depth: Int
  ) -> (lines: [String], offersKeys: Bool) {
    let indentation = String(repeating: " ", count: min(2 * depth + 5, max(1, width / 3)))
    let room = max(2, width - indentation.count)
    let message = question.message ?? ""
    let start = String(message.unicodeScalars.prefix(Self.longestQuestion))
    var text = TerminalText.wrapped(start, width: room)
    let command = TerminalLines.command(
      CommandHint.command("penstock approve \(record.run.short) \(ShellText.quoted(record.name))"), width: room)
    // The header, the row itself, and a line for the omitted rest.
    let most = height - 3 - command.count - 1
    var isWhole = start.unicodeScalars.count == message.unicodeScalars.count
    if text.count > most || !isWhole {
      isWhole = false
      text = Array(text.prefix(max(1, most - 1)))
      let explain = CommandHint.command("penstock explain \(record.run.short) \(ShellText.quoted(record.name))")
      text.append(TerminalText.fitted("… all of it: \(TerminalText.visible(explain))", width: room))
    }
    var lines = text.map { indentation + style.paint($0, .bold) } + command.map { indentation + $0 }
    // A terminal without room for the hint offers no keys.
    let offersKeys = isWhole && room >= Self.keys.count && answerable == RunBoard.Question(of: record)
    if offersKeys { lines.append(indentation + style.paint(Self.keys, .yellow)) }
    return (lines, offersKeys)
  }

  /// Returns a reason for a row whose glyph shows the state.
  private static func detail(_ reason: String, of record: OperationRecord) -> String {
    let word = StateReason.word(of: record)
    if record.state == .waiting { return "waits \(reason)" }
    return word == StateReason.notRun ? "\(word): \(reason)" : reason
  }

  /// Returns why a loop failed: its first failed item with the cause, then the number of failed items. Nil if its items are not the cause, or are unknown.
  private static func failure(of items: [Int], loop: OperationRecord, in entry: RunBoard.Entry) -> String? {
    guard loop.state == .failed, loop.error?.code == "items-failed" else { return nil }
    let records = items.compactMap { entry.operations[$0] }
    let failed = records.filter { $0.state == .failed }
    guard let first = failed.min(by: { $0.ordinal < $1.ordinal }) else { return nil }
    let cause = TerminalText.oneLine(StateReason.text(of: first, now: nil))
    var text = NameText(first.name, label: first.label, isBelowOperation: true).text
    text += (cause.isEmpty ? "" : ": \(cause)") + " · \(failed.count) of \(records.count) failed"
    // Grouped by the words that their rows would show.
    let others = Dictionary(grouping: records.filter { $0.state == .cancelled }, by: StateReason.word)
    for (word, records) in others.sorted(by: { $0.key < $1.key }) { text += ", \(records.count) \(word)" }
    return text
  }

  private static func summary(of items: [Int], loop: OperationRecord, in entry: RunBoard.Entry) -> String {
    var counts: [OperationState: Int] = [:]
    for item in items { counts[entry.operations[item]?.state ?? .pending, default: 0] += 1 }
    let done = counts.filter { $0.key.isFinal }.values.reduce(0, +)
    let total = StateReason.items(of: loop) ?? Int64(items.count)
    var text = "\(done) of \(total)"
    for state in [OperationState.failed, .running, .retrying, .waiting] {
      if let count = counts[state] { text += ", \(count) \(state.rawValue)" }
    }
    return text
  }
}
