import GRDB
import OrderedCollections
import Values
import Workspace

extension History {
  /// Hands out runs as JSON objects, one for each run, with their operations, and their attempts in those.
  ///
  /// Names and units are those of the public views. Params, items, details and results are JSON values. `line` is given the
  /// bytes of one object without a line feed, and may throw to end the export. Runs are read one after the other, not in one
  /// snapshot, so that a long export keeps nobody from shortening the write-ahead log.
  public func export(_ filter: RunFilter, line: ([UInt8]) throws -> Void) throws {
    for record in try runs(filter) {
      guard let whole = try loadForResume(record.id) else { continue }
      var bytes: [UInt8] = []
      Self.json(whole).write(to: &bytes)
      try line(bytes)
    }
  }

  /// One run with everything that is recorded of it, as ``export(_:line:)`` writes it.
  public static func json(_ whole: RecordedRun) -> JSONValue {
    let run = whole.run
    var object: OrderedDictionary<String, JSONValue> = [
      "id": .string(run.id.text), "pipeline": .string(run.pipeline), "state": .string(run.state.rawValue),
      "reason": text(run.reason), "trigger": .string(run.trigger.rawValue), "started_at": time(run.startedAt),
      "ended_at": time(run.endedAt), "duration_ms": duration(run.startedAt, run.endedAt),
      "created_at": time(run.createdAt), "host": .string(run.host), "user": .string(run.user),
      "version": .string(run.version), "params": json(run.params), "definition": .string(run.definitionHash),
      "path": text(run.path), "parent": text(run.parent?.run.text), "parent_operation": text(run.parent?.operation),
      "controller": text(run.controller), "event": json(run.event),
    ]
    let attempts = Dictionary(grouping: whole.attempts, by: \.ordinal)
    let names = Dictionary(whole.operations.map { ($0.ordinal, $0.name) }, uniquingKeysWith: { $1 })
    object["operations"] = .array(
      whole.operations.map { operation in
        json(operation, parent: operation.parent.flatMap { names[$0] }, attempts: attempts[operation.ordinal] ?? [])
      })
    object["approvals"] = .array(whole.approvals.map(json))
    return .object(object)
  }

  private static func json(_ operation: OperationRecord, parent: String?, attempts: [AttemptRecord]) -> JSONValue {
    .object([
      "operation": .string(operation.name), "position": .int(Int64(operation.position)), "parent": text(parent),
      "item": json(operation.item), "state": .string(operation.state.rawValue), "reason": text(operation.reason),
      "detail": json(operation.detail), "error": text(operation.error?.message),
      "error_code": text(operation.error?.code), "waiting_since": time(operation.waitingSince),
      "started_at": time(operation.startedAt), "ended_at": time(operation.endedAt),
      "duration_ms": duration(operation.startedAt, operation.endedAt), "result": result(operation.result),
      "result_file": file(operation.result), "reused_from": text(operation.reusedFrom?.text),
      "fingerprint": text(operation.fingerprint),
      "attempts": .array(
        attempts.map { attempt in
          json(attempt, result: attempt.number == operation.attempts ? operation.result : attempt.result)
        }),
    ])
  }

  private static func json(_ attempt: AttemptRecord, result last: RecordedResult) -> JSONValue {
    let shown = attempt.result == .none && attempt.state == .succeeded ? last : attempt.result
    return .object([
      "number": .int(Int64(attempt.number)), "state": .string(attempt.state.rawValue),
      "started_at": time(attempt.startedAt), "ended_at": time(attempt.endedAt),
      "duration_ms": duration(attempt.startedAt, attempt.endedAt), "exit_code": number(attempt.exitCode),
      "signal": number(attempt.signal), "error": text(attempt.error?.message), "error_code": text(attempt.error?.code),
      "result": result(shown), "stdout_file": text(attempt.standardOutput), "stderr_file": text(attempt.standardError),
      "retry_delay_ms": attempt.retryDelay.map { .double(Double($0) / 1000) } ?? .null,
      "wake_cause": text(attempt.wakeCause), "pid": number(attempt.pid.map(Int.init)),
    ])
  }

  private static func json(_ approval: Approval) -> JSONValue {
    .object([
      "operation": .string(approval.operation), "message": .string(approval.message),
      "requested_at": time(approval.requestedAt), "answered_at": time(approval.answer?.at),
      "state": .string(approval.state),
      "note": text(approval.answer?.note), "who": text(approval.answer?.who),
    ])
  }

  private static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
  private static func number(_ number: Int?) -> JSONValue { number.map { .int(Int64($0)) } ?? .null }
  private static func time(_ time: RecordTime?) -> JSONValue { time.map { .string($0.text) } ?? .null }

  private static func duration(_ start: RecordTime?, _ end: RecordTime?) -> JSONValue {
    guard let start, let end else { return .null }
    return .double(Double(end.microseconds - start.microseconds) / 1000)
  }

  /// Recorded JSON text as a value; text that is no JSON, which nothing of ours writes, as a string.
  private static func json(_ text: String?) -> JSONValue {
    guard let text else { return .null }
    return (try? JSONValue.parse(text)) ?? .string(text)
  }

  private static func result(_ result: RecordedResult) -> JSONValue {
    if case .inline(let text) = result { json(text) } else { .null }
  }

  private static func file(_ result: RecordedResult) -> JSONValue {
    if case .file(let path, _) = result { .string(path) } else { .null }
  }
}
