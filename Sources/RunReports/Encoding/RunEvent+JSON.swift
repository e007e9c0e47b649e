import OrderedCollections
import RunHistory
import Values

extension RunEvent {
  /// Whether the event is included in JSON output: files being written only concern this process.
  package var isTold: Bool { if case .output = self { false } else { true } }

  /// Returns the event as an object whose `event` is its kind: `run`, `operation`, `attempt`, `progress`, `approval` or `notice`. All
  /// have `run` and, except for `progress` and `notice`, `time`: that of the record, unless another one is given. Members without a value are omitted.
  package func jsonValue(at time: RecordTime? = nil, operationName: (RunID, Int) -> String?) -> JSONValue {
    var object: OrderedDictionary<String, JSONValue> = [:]
    func add(_ name: String, _ value: JSONValue) {
      if value != .null { object[name] = value }
    }
    switch self {
    case .run(let record):
      object = ["event": "run", "run": .string(record.id.text), "state": .string(record.state.rawValue)]
      add("time", JSONValue(time ?? record.endedAt ?? record.startedAt ?? record.createdAt))
      add("pipeline", .string(record.pipeline))
      add("reason", JSONValue(record.reason))
      add("cancelled_by", JSONValue(record.canceller?.who))
      add("cancelled_with", JSONValue(record.canceller?.means.rawValue))
      if !record.labels.isEmpty { add("labels", record.labelsValue) }
      add("parent", JSONValue(record.parent?.run.text))
      add("parent_operation", JSONValue(record.parent?.operation))
      add("duration_ms", record.durationMilliseconds.map { .double($0) } ?? .null)
    case .operation(let record):
      object = [
        "event": "operation", "run": .string(record.run.text), "operation": .string(record.name),
        "state": .string(record.state.rawValue),
      ]
      add("label", JSONValue(record.label))
      add("time", JSONValue(time ?? record.endedAt ?? record.waitingSince ?? record.startedAt))
      add("reason", JSONValue(record.reason))
      add("detail", JSONValue(recorded: record.detail))
      add("error_code", JSONValue(record.error?.code))
      add("error", JSONValue(record.error?.message))
      if record.attempts > 0 {
        // Also `attempt_count`, as in a whole run, where `attempts` is the list of them.
        add("attempt_count", JSONValue(record.attempts))
        add("attempts", JSONValue(record.attempts))
      }
      add("duration_ms", JSONValue(millisecondsFrom: record.startedAt, to: record.endedAt))
      add("reused_from", JSONValue(record.reusedFrom?.text))
    case .attempt(let record):
      object = ["event": "attempt", "run": .string(record.run.text)]
      add("operation", JSONValue(operationName(record.run, record.ordinal)))
      add("number", JSONValue(record.number))
      add("state", .string(record.state.rawValue))
      add("time", JSONValue(time ?? record.endedAt ?? record.startedAt))
      add("exit_code", JSONValue(record.exitCode))
      add("signal", JSONValue(record.signal))
      add("error_code", JSONValue(record.error?.code))
      add("error", JSONValue(record.error?.message))
      add("retry_delay_ms", JSONValue(retryDelay: record))
      add("wake_cause", JSONValue(record.wakeCause))
    case .progress(let run, let ordinal, let progress):
      object = ["event": "progress", "run": .string(run.text)]
      add("operation", JSONValue(operationName(run, ordinal)))
      add("fraction", progress.fraction.map { .double($0) } ?? .null)
      add("message", JSONValue(progress.message))
    case .output(let run, _, _, _): object = ["event": "output", "run": .string(run.text)]
    case .approval(let approval):
      object = ["event": "approval", "run": .string(approval.run.text), "operation": .string(approval.operation)]
      add("time", JSONValue(time ?? approval.answer?.at ?? approval.requestedAt))
      add("message", .string(approval.message))
      add("approved", approval.answer.map { .bool($0.isApproved) } ?? .null)
      add("note", JSONValue(approval.answer?.note))
    case .notice(let run, let text):
      object = ["event": "notice", "run": .string(run.text), "message": .string(text)]
    }
    return .object(object)
  }
}
