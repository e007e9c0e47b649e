import OrderedCollections
import RunHistory
import Values

extension History {
  /// Returns a run with everything that is recorded of it, for display, with the names and units of the public views. Missing values are null.
  public static func json(_ whole: RecordedRun) -> JSONValue {
    let attempts = Dictionary(grouping: whole.attempts, by: \.ordinal)
    let names = Dictionary(whole.operations.map { ($0.ordinal, $0.name) }, uniquingKeysWith: { $1 })
    var object = whole.run.identityMembers
    object.merge(whole.run.causeMembers) { $1 }
    object["retry_of"] = JSONValue(whole.run.trigger == .retry ? whole.run.origin.source?.text : nil)
    object["operations"] = .array(
      whole.operations.map {
        $0.jsonValue(parent: $0.parent.flatMap { names[$0] }, attempts: attempts[$0.ordinal] ?? [])
      })
    object["approvals"] = .array(whole.approvals.map { $0.jsonValue() })
    return .object(object)
  }
}

extension OperationRecord {
  /// Returns the operation as JSON, with the name of its loop if it is an item. `attempts` is a list here; their number is `attempt_count`.
  func jsonValue(parent: String?, attempts list: [AttemptRecord]) -> JSONValue {
    .object([
      "operation": .string(name), "position": JSONValue(position), "parent": JSONValue(parent),
      "item": JSONValue(recorded: item), "label": JSONValue(label), "state": .string(state.rawValue),
      "reason": JSONValue(reason),
      "detail": JSONValue(recorded: detail), "error": JSONValue(error?.message), "error_code": JSONValue(error?.code),
      "attempt_count": JSONValue(attempts), "waiting_since": JSONValue(waitingSince),
      "started_at": JSONValue(startedAt), "ended_at": JSONValue(endedAt),
      "duration_ms": JSONValue(millisecondsFrom: startedAt, to: endedAt), "result": result.jsonValue,
      "result_file": result.jsonFile, "reused_from": JSONValue(reusedFrom?.text),
      "fingerprint": JSONValue(fingerprint),
      "artifacts": .array(artifacts.map(\.jsonValue)),
      "attempts": .array(list.map { $0.jsonValue(result: $0.number == attempts ? result : $0.result) }),
    ])
  }
}

extension AttemptRecord {
  /// Returns the attempt as JSON. The result of the last attempt is recorded with the operation, and passed as `last` so that it appears here as well.
  fileprivate func jsonValue(result last: RecordedResult) -> JSONValue {
    let isShared = result == .none && state == .succeeded
    var object: OrderedDictionary<String, JSONValue> = [
      "number": JSONValue(number), "state": .string(state.rawValue), "started_at": JSONValue(startedAt),
      "ended_at": JSONValue(endedAt), "duration_ms": JSONValue(millisecondsFrom: startedAt, to: endedAt),
      "exit_code": JSONValue(exitCode), "signal": JSONValue(signal), "error": JSONValue(error?.message),
      "error_code": JSONValue(error?.code), "result": (isShared ? last : result).jsonValue,
      "stdout_file": JSONValue(standardOutput), "stderr_file": JSONValue(standardError),
      "retry_delay_ms": JSONValue(retryDelay: self), "wake_cause": JSONValue(wakeCause),
      "pid": JSONValue(pid.map(Int.init)),
    ]
    if let executor { object["executor"] = .string(executor) }
    if let handle { object["handle"] = .string(handle) }
    object["user_ms"] = JSONValue(milliseconds: userTime)
    object["system_ms"] = JSONValue(milliseconds: systemTime)
    return .object(object)
  }
}

extension Approval {
  fileprivate func jsonValue() -> JSONValue {
    .object([
      "operation": .string(operation), "message": .string(message), "requested_at": JSONValue(requestedAt),
      "answered_at": JSONValue(answer?.at), "state": .string(state), "note": JSONValue(answer?.note),
      "who": JSONValue(answer?.who),
    ])
  }
}

extension RecordedResult {
  /// The result if it is recorded inline, else null.
  fileprivate var jsonValue: JSONValue {
    guard case .inline(let text) = self else { return .null }
    return JSONValue(recorded: text)
  }

  /// The path of the file that contains it, else null.
  fileprivate var jsonFile: JSONValue {
    guard case .file(let path, _) = self else { return .null }
    return .string(path)
  }
}

extension JSONValue {
  /// The time between two instants in milliseconds; null unless both are known.
  init(millisecondsFrom start: RecordTime?, to end: RecordTime?) {
    guard let start, let end else {
      self = .null
      return
    }
    self = .double(Double(end.microseconds - start.microseconds) / 1000)
  }

  /// The delay before the next attempt in milliseconds.
  init(retryDelay attempt: AttemptRecord) { self.init(milliseconds: attempt.retryDelay) }

  /// Converts microseconds to milliseconds.
  init(milliseconds microseconds: Int64?) { self = microseconds.map { .double(Double($0) / 1000) } ?? .null }
}
