import ArgumentParser
import Expressions
import PipelineLanguage
import PipelineService
import RunHistory
import Schedules
import Values

struct PauseCommand: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "pause",
    abstract: "Pause pipelines, so that nothing starts them",
    discussion: """
      Occasions during a pause are recorded as skipped. Queued runs wait until it ends, including those added by \
      `penstock start`; active runs continue.

        penstock pause nightly --reason "database moves"
        penstock pause nightly hourly --until "2026-12-01 06:00"
        penstock pause --label team=web --for 2h
        penstock pause --all --for 1h
      """)

  @OptionGroup var selection: ServedPipelineSelection

  @Option(
    help: ArgumentHelp(
      "When the pause ends: 2h (from now), 2026-12-01, '2026-12-01 06:00', or a timestamp", valueName: "time")
  )
  var until: String?

  @Option(name: .customLong("for"), help: ArgumentHelp("How long the pause lasts, such as 2h", valueName: "duration"))
  var length: String?

  @Option(
    help: ArgumentHelp(
      "The reason to show (default: that of the present pause, if there is one)", valueName: "text"))
  var reason: String?

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if until != nil, length != nil { throw ValidationError("Give either --until or --for, not both.") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost()
    let now = RecordTime.now
    let end = try until.map { try Self.end($0, now: now) } ?? length.map { try Self.end(after: $0, now: now) }
    let pipelines = try selection.pipelines(in: history)
    let who = QuestionAnswer.loginName()
    let changes = try history.pause(
      pipelines.map { Pause(pipeline: $0.name, until: end, reason: reason, who: who, since: now) })
    for change in changes {
      shared.output.confirm(change.jsonValue()) { TextOutput.standard.writeLine(change.words(at: now)) }
    }
  }

  /// Parses `--for`: a duration from now.
  static func end(after text: String, now: RecordTime) throws -> RecordTime {
    guard let length = DurationNotation.parse(text), length > .zero else {
      throw CommandFailure("--for needs a duration such as 30m, 2h or 7d, not '\(TerminalText.visible(text))'")
    }
    return now.advanced(by: length)
  }

  /// Parses `--until`: a duration from now, or a future time.
  static func end(_ text: String, now: RecordTime) throws -> RecordTime {
    let length = text.hasPrefix("in ") ? String(text.dropFirst(3)) : text
    if let duration = DurationNotation.parse(length), duration > .zero { return now.advanced(by: duration) }
    guard let time = TimeFilter.parse(length, now: now) else {
      throw CommandFailure(
        "--until cannot read the time '\(TerminalText.visible(text))'; write \(examples(after: now)) or a timestamp")
    }
    guard time > now else {
      throw CommandFailure("--until (\(time.text)) is in the past; write a later time, such as \(examples(after: now))")
    }
    return time
  }

  /// Times that are to come.
  private static func examples(after now: RecordTime) -> String {
    // A day can be an hour longer.
    let day = ClockText.dateAndTime(now.advanced(by: .seconds(48 * 3600))).prefix(10)
    return "2h, \(day), '\(day) 06:00'"
  }
}

struct Unpause: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "unpause",
    abstract: "End the pause of pipelines",
    discussion: """
        penstock unpause nightly
        penstock unpause --label team=web
        penstock unpause --all
      """)

  @OptionGroup var selection: ServedPipelineSelection

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost()
    let pipelines = try selection.pipelines(in: history).map(\.name)
    let ended = Set(try history.unpause(pipelines, for: Requester(QuestionAnswer.loginName()), at: .now))
    for name in pipelines {
      shared.output.confirm(["pipeline": .string(name), "was_paused": .bool(ended.contains(name))]) {
        TextOutput.standard.writeLine(
          ended.contains(name)
            ? "\(TerminalText.visible(name)) is no longer paused." : "\(TerminalText.visible(name)) was not paused.")
      }
    }
  }
}
