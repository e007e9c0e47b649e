import Expressions
import Values

/// A history filter in the expression language: `state == 'failed' && duration > '5m' && params.region == 'eu'`.
///
/// Names are the columns of the view `runs`, and `duration`. Instants are compared with times as read by ``TimeFilter``, durations with durations;
/// both are parsed once, together with the filter. Everything else is as in pipeline files: strings are compared regardless of case, and missing
/// values are null.
public struct RunCondition: Sendable, Hashable {
  /// The text it was parsed from.
  public let text: String
  /// When it was parsed: the reference for `2h` and `today`, and for the duration of active runs.
  public let now: RecordTime
  let expression: Expression

  /// Parses a filter.
  ///
  /// - Parameters:
  ///   - text: The expression, without `${{ }}`.
  ///   - now: The reference for times.
  /// - Returns: The filter.
  /// - Throws: `ExpressionError` with the position of the problem: a syntax error, a name that runs do not have, a time or duration that cannot be
  ///   parsed, or a function that requires an active run.
  public static func parse(_ text: String, now: RecordTime = .now) throws(ExpressionError) -> RunCondition {
    let parsed = try Expression.parse(text)
    var reader = RunConditionReader(program: parsed.storage.program, now: now)
    try reader.check()
    return RunCondition(
      text: text, now: now, expression: Expression(text: text, storage: Expression.Storage(reader.program)))
  }

  /// Whether a run matches the filter, as readers see the run. A run for which it cannot be evaluated (such as `fromJSON` of invalid text) does not match.
  public func matches(_ run: RunRecord) -> Bool {
    (try? holds(of: run)) ?? false
  }

  /// Whether a run matches the filter; throws if it cannot be evaluated.
  func holds(of run: RunRecord) throws(ExpressionError) -> Bool {
    try expression.isTruthy(in: RunConditionContexts(run: run, now: now))
  }

  /// Compares the text and the reference time.
  public static func == (left: RunCondition, right: RunCondition) -> Bool {
    left.text == right.text && left.now == right.now
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A name in a history filter.
enum RunConditionName: String, CaseIterable {
  case id, pipeline, state, reason, trigger, host, user, version, definition, path, parent, controller
  case parentOperation = "parent_operation"
  case createdAt = "created_at"
  case startedAt = "started_at"
  case endedAt = "ended_at"
  case duration
  case durationMilliseconds = "duration_ms"
  case operations, succeeded, failed, skipped, cancelled, reused, pid
  case params, event, at, labels

  /// The type of its values.
  enum Kind { case text, instant, duration, number, json }

  var kind: Kind {
    switch self {
    case .createdAt, .startedAt, .endedAt, .at: .instant
    case .duration: .duration
    case .durationMilliseconds, .operations, .succeeded, .failed, .skipped, .cancelled, .reused, .pid: .number
    case .params, .event, .labels: .json
    default: .text
    }
  }

  /// The table column that it is compared with.
  var column: String { self == .at ? "instant" : rawValue }
}

/// The values of a filter's names for one run.
struct RunConditionContexts: ExpressionContexts {
  let run: RunRecord
  let now: RecordTime

  var status: ExpressionStatus { ExpressionStatus() }

  func member(_ name: String, of context: String) throws(ExpressionError) -> JSONValue? {
    try whole(context)?.expressionMember(name)
  }

  func whole(_ context: String) throws(ExpressionError) -> JSONValue? {
    guard let name = RunConditionName(rawValue: context.lowercased()) else { return nil }
    return switch name {
    case .id: .string(run.id.text)
    case .pipeline: .string(run.pipeline)
    case .state: .string(run.state.rawValue)
    case .reason: JSONValue(run.reason)
    case .trigger: .string(run.trigger.rawValue)
    case .host: .string(run.host)
    case .user: .string(run.user)
    case .version: .string(run.version)
    case .definition: .string(run.definitionHash)
    case .path: JSONValue(run.path)
    case .parent: JSONValue(run.parent?.run.text)
    case .parentOperation: JSONValue(run.parent?.operation)
    case .controller: JSONValue(run.controller)
    case .createdAt: JSONValue(run.createdAt)
    case .startedAt: JSONValue(run.startedAt)
    case .endedAt: JSONValue(run.endedAt)
    case .duration: duration.map { .double($0) } ?? .null
    case .durationMilliseconds: run.durationMilliseconds.map { .double($0) } ?? .null
    case .operations: JSONValue(run.counts.operations)
    case .succeeded: JSONValue(run.counts.succeeded)
    case .failed: JSONValue(run.counts.failed)
    case .skipped: JSONValue(run.counts.skipped)
    case .cancelled: JSONValue(run.counts.cancelled)
    case .reused: JSONValue(run.counts.reused)
    case .pid: JSONValue(Int(run.owner.pid))
    case .params: JSONValue(recorded: run.params)
    case .event: JSONValue(recorded: run.event)
    case .at: JSONValue(run.instant)
    case .labels: run.labelsValue
    }
  }

  /// In milliseconds; for an active run, so far.
  private var duration: Double? {
    guard let started = run.startedAt, let end = run.endedAt ?? (run.state == .running ? now : nil) else { return nil }
    return Double(end.microseconds - started.microseconds) / 1000
  }

  func hashFiles(_ patterns: [String]) throws(ExpressionError) -> String { "" }
}
