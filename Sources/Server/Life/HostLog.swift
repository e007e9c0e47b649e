import PipelineLanguage
import RunHistory
import Values

/// The log of a host, one line per event: the same for people, for programs and for the journal.
package struct HostLog: Sendable {
  /// The severity of a line.
  package enum Level: String, Sendable, Hashable, CaseIterable {
    case error, warning, info

    /// The level of `syslog`.
    var priority: Int {
      switch self {
      case .error: 3
      case .warning: 4
      case .info: 6
      }
    }
  }

  /// The format of lines.
  package enum Form: Sendable, Hashable {
    /// For people.
    case text
    /// One JSON object per line, preceded by its priority in angle brackets if the journal reads it.
    case json(forJournal: Bool)
  }

  /// The event of a line.
  package struct Entry: Sendable {
    package var time: RecordTime
    package var level: Level
    /// A stable word for programs: `run-ended`.
    package var event: String
    /// A sentence for people.
    package var message: String
    /// The subjects of the event, by the names that the history uses: `pipeline`, `run`, `operation`.
    package var subjects: [(name: String, value: String)]
    /// Measured values, for programs.
    package var figures: [(name: String, value: JSONValue)] = []
  }

  private let clock: @Sendable () -> RecordTime
  private let form: Form
  private let write: @Sendable (String) -> Void
  private let budget = LogBudget()

  /// The events whose number a plugin determines.
  private static let bounded: Set<String> = ["occasion-skipped", "plugin"]

  /// - Parameters:
  ///   - form: The format of lines.
  ///   - clock: The clock for the times of lines.
  ///   - write: Accepts a line without its newline. Any thread; must not block.
  package init(
    _ form: Form, clock: @escaping @Sendable () -> RecordTime = { .now }, write: @escaping @Sendable (String) -> Void
  ) {
    self.form = form
    self.clock = clock
    self.write = write
  }

  /// Logs an event.
  package func tell(
    _ level: Level, _ event: String, _ message: String, pipeline: String? = nil, run: RunID? = nil,
    operation: String? = nil, figures: [(name: String, value: JSONValue)] = []
  ) {
    let subjects = [("pipeline", pipeline), ("run", run?.text), ("operation", operation)].compactMap { name, value in
      value.map { (name: name, value: $0) }
    }
    var entry = Entry(
      time: clock(), level: level, event: event, message: message, subjects: subjects, figures: figures)
    if Self.bounded.contains(event) {
      switch budget.admit("\(event) \(pipeline ?? "")", at: entry.time) {
      case .omit: return
      case .write(0): break
      case .write(let omitted): entry.message += " (\(omitted) similar lines were omitted before)"
      case .writeLast: entry.message += " (similar lines are omitted for a minute)"
      }
    }
    write(line(of: entry))
  }

  /// Returns the line that replaces this many lines, which were dropped because the reader was too slow.
  package func line(ofDropped count: Int) -> String {
    line(
      of: Entry(
        time: clock(), level: .warning, event: "log-dropped",
        message: "dropped \(count) \(count == 1 ? "line" : "lines") of this log, because its reader could not keep up",
        subjects: []))
  }

  private func line(of entry: Entry) -> String {
    switch form {
    case .text:
      let word = entry.level == .info ? "" : "\(entry.level.rawValue): "
      return "\(entry.time.text) \(word)\(TerminalText.oneLine(entry.message))"
    case .json(let forJournal):
      var members: [(String, JSONValue)] = [
        ("time", .string(entry.time.text)), ("level", .string(entry.level.rawValue)), ("event", .string(entry.event)),
        ("message", .string(entry.message)),
      ]
      members += entry.subjects.map { ($0.name, .string($0.value)) } + entry.figures.map { ($0.name, $0.value) }
      let text = JSONValue.object(.init(uniqueKeysWithValues: members)).text
      return forJournal ? "<\(entry.level.priority)>\(text)" : text
    }
  }
}
