import ArgumentParser
import Expressions
import RunHistory
import Values

/// Selects the runs that a command applies to.
struct FilterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only runs of this pipeline; * and ? are wildcards", valueName: "name"),
    completion: ArgumentCompletion.pipelines)
  var pipeline: String?

  @Option(
    help: ArgumentHelp(
      "Only runs in these states, separated by commas: queued, running, succeeded, failed, cancelled, interrupted",
      valueName: "states"),
    completion: ArgumentCompletion.states)
  var state: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only runs since this time: 2h (ago), today, yesterday, 2026-11-20, or a timestamp", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only runs before this time, in the same form", valueName: "time"))
  var until: String?

  @Option(
    help: ArgumentHelp("Only runs with this operation", valueName: "name"), completion: ArgumentCompletion.operations)
  var operation: String?

  @OptionGroup var labels: LabelFilterOptions

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only runs for which this is true, such as: state == 'failed' && duration > '5m' && params.region == 'eu'",
      valueName: "expression"))
  var condition: String?

  @Option(
    help: ArgumentHelp(
      "Show at most this many runs; 0 for all (default: 30 for `list`, all for `export`)", valueName: "number")
  )
  var limit: Int?

  @Flag(help: "Also show runs that other runs started")
  var nested = false

  /// Returns the filter, with `defaultLimit` unless a limit was given.
  func filter(defaultLimit: Int?) throws -> RunFilter {
    if let limit, limit < 0 { throw CommandFailure("--limit must be 0 or more") }
    let (since, until) = try Self.span(since: since, until: until)
    let bound = limit.map { $0 == 0 ? nil : $0 } ?? defaultLimit
    return RunFilter(
      pipeline: pipeline, states: try Self.states(state), since: since, until: until, operation: operation,
      labels: try labels.labels(), condition: try Self.condition(condition),
      includesNested: nested, limit: bound)
  }

  /// The given options that restrict the list.
  var given: [String] {
    let options: [(name: String, isGiven: Bool)] = [
      ("--pipeline", pipeline != nil), ("--state", !state.isEmpty), ("--since", since != nil),
      ("--until", until != nil), ("--operation", operation != nil),
    ]
    return options.filter(\.isGiven).map(\.name) + labels.given + (condition == nil ? [] : ["--where"])
  }

  /// Parses `--where`; an error is shown with its position.
  static func condition(_ text: String?) throws -> RunCondition? {
    guard let text else { return nil }
    do throws(ExpressionError) {
      return try RunCondition.parse(text)
    } catch {
      throw refused(error, text)
    }
  }

  /// Rejects a condition that cannot be evaluated for any run, so that it is not mistaken for one that is false for all. Called when nothing was found.
  static func check(_ filter: RunFilter, in history: History) throws {
    guard let condition = filter.condition, let mistake = try history.mistake(in: filter) else { return }
    throw refused(mistake, condition.text)
  }

  private static func refused(_ error: ExpressionError, _ text: String) -> ExitStatus {
    TextOutput.standard.flush()
    TextOutput.error.write(
      ArgumentDiagnostic(
        name: "--where", text: text, code: error.code, message: error.message, position: error.position,
        length: error.length, fix: error.fix
      ).render(.auto))
    return .usage
  }

  /// Parses the values of `--state`.
  static func states(_ words: [String]) throws -> Set<RunState> {
    var states: Set<RunState> = []
    for word in words.flatMap({ $0.split(separator: ",").map(String.init) }) {
      guard let state = RunState(rawValue: word.lowercased()) else {
        let names = RunState.allCases.map(\.rawValue)
        let near = NearestName.suggestion(for: word, among: names).map { "did you mean '\($0)'?" }
        throw CommandFailure(
          "there is no run state '\(word)'; " + (near ?? "the states are \(names.joined(separator: ", "))"))
      }
      states.insert(state)
    }
    return states
  }

  /// Parses `--since` and `--until`, which must be in this order.
  static func span(since: String?, until: String?) throws -> (since: RecordTime?, until: RecordTime?) {
    let span = (since: try time(since, option: "--since"), until: try time(until, option: "--until"))
    if let start = span.since, let end = span.until, start >= end {
      throw CommandFailure("--since (\(start.text)) must be before --until (\(end.text))")
    }
    return span
  }

  static func time(_ text: String?, option: String) throws -> RecordTime? {
    guard let text else { return nil }
    if let time = TimeFilter.parse(text) { return time }
    throw CommandFailure(
      "\(option) cannot read the time '\(text)'; write 2h, today, yesterday, 2026-11-20, '2026-11-20 18:30' or a timestamp"
    )
  }
}
