import PipelineLanguage
import RunHistory
import Values

/// What a host tells of itself, one line each: the same to people, to programs and to the journal.
package struct HostLog: Sendable {
  /// How much a line matters.
  package enum Level: String, Sendable, Hashable, CaseIterable {
    case error, warning, info

    /// As `syslog` counts it.
    var priority: Int {
      switch self {
      case .error: 3
      case .warning: 4
      case .info: 6
      }
    }
  }

  /// How lines look.
  package enum Form: Sendable, Hashable {
    /// For people.
    case text
    /// One JSON object a line; behind its priority in angle brackets where the journal reads it.
    case json(forJournal: Bool)
  }

  /// What happened.
  package struct Entry: Sendable {
    package var time: RecordTime
    package var level: Level
    /// A stable word for programs: `run-ended`.
    package var event: String
    /// A sentence for people.
    package var message: String
    /// What it is about, by the names that the history uses: `pipeline`, `run`, `operation`.
    package var subjects: [(name: String, value: String)]
    /// What was measured, for programs.
    package var figures: [(name: String, value: JSONValue)] = []
  }

  private let clock: @Sendable () -> RecordTime
  private let form: Form
  private let write: @Sendable (String) -> Void
  private let budget = LogBudget()

  /// The events of which there may be as many as a plugin likes.
  private static let bounded: Set<String> = ["occasion-skipped", "plugin"]

  /// - Parameters:
  ///   - form: How lines look.
  ///   - clock: The time of lines.
  ///   - write: Takes a line without its end. Any thread; must not wait.
  package init(
    _ form: Form, clock: @escaping @Sendable () -> RecordTime = { .now }, write: @escaping @Sendable (String) -> Void
  ) {
    self.form = form
    self.clock = clock
    self.write = write
  }

  /// Tells of something.
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

  /// The line that stands in place of so many others, which its reader has not taken.
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
