import OrderedCollections
import Values

/// A run with everything that is recorded of it, as an object from which an import makes the same records again.
///
/// Names and units are those of the public views, but that times are to the microsecond; params, items, details and results are JSON values. Beside these
/// there are the text of the definition, and numbers that address records. What has no value is left out.
struct ExportedRun {
  let whole: RecordedRun

  init(_ whole: RecordedRun) { self.whole = whole }

  func value() -> JSONValue {
    let run = whole.run
    var object = Members()
    object.add("id", .string(run.id.text))
    object.add("pipeline", .string(run.pipeline))
    object.add("state", .string(run.state.rawValue))
    object.add("reason", JSONValue(run.reason))
    object.add("trigger", .string(run.trigger.rawValue))
    object.add("started_at", time(run.startedAt))
    object.add("ended_at", time(run.endedAt))
    object.add("duration_ms", duration(run.startedAt, run.endedAt))
    object.add("created_at", time(run.createdAt))
    object.add("host", .string(run.host))
    object.add("user", .string(run.user))
    object.add("version", .string(run.version))
    object.add("params", JSONValue(recorded: run.params))
    object.add("definition", .string(run.definitionHash))
    object.add("path", JSONValue(run.path))
    object.add("parent", JSONValue(run.parent?.run.text))
    object.add("parent_operation", JSONValue(run.parent?.operation))
    object.add("controller", JSONValue(run.controller))
    object.add("event", JSONValue(recorded: run.event))
    object.add("counts", counts(run.counts))
    object.add("source", .string(whole.definition))
    object.add("taken_over_from", JSONValue(run.origin.source?.text))
    object.add(recorded: "selection", run.origin.text)
    object.add("parent_attempt", JSONValue(run.parent?.attempt))
    let attempts = Dictionary(grouping: whole.attempts, by: \.ordinal)
    let names = Dictionary(whole.operations.map { ($0.ordinal, $0.name) }, uniquingKeysWith: { $1 })
    object.add(
      "operations",
      .array(
        whole.operations.map { operation in
          self.operation(
            operation, parent: operation.parent.flatMap { names[$0] }, attempts: attempts[operation.ordinal] ?? [])
        }))
    object.add("approvals", .array(whole.approvals.map(approval)))
    return .object(object.members)
  }

  private func counts(_ counts: RunCounts) -> JSONValue {
    .object([
      "operations": JSONValue(counts.operations), "succeeded": JSONValue(counts.succeeded),
      "failed": JSONValue(counts.failed), "skipped": JSONValue(counts.skipped),
      "cancelled": JSONValue(counts.cancelled), "reused": JSONValue(counts.reused),
    ])
  }

  private func operation(_ operation: OperationRecord, parent: String?, attempts: [AttemptRecord]) -> JSONValue {
    var object = Members()
    object.add("operation", .string(operation.name))
    object.add("ordinal", JSONValue(operation.ordinal))
    object.add("position", JSONValue(operation.position))
    object.add("parent", JSONValue(parent))
    object.add(recorded: "item", operation.item)
    object.add("state", .string(operation.state.rawValue))
    object.add("reason", JSONValue(operation.reason))
    object.add(recorded: "detail", operation.detail)
    object.add("error", JSONValue(operation.error?.message))
    object.add("error_code", JSONValue(operation.error?.code))
    object.add("attempt_count", JSONValue(operation.attempts))
    object.add("waiting_since", time(operation.waitingSince))
    object.add("started_at", time(operation.startedAt))
    object.add("ended_at", time(operation.endedAt))
    object.add("duration_ms", duration(operation.startedAt, operation.endedAt))
    object.add(result: operation.result)
    object.add("reused_from", JSONValue(operation.reusedFrom?.text))
    object.add("fingerprint", JSONValue(operation.fingerprint))
    object.add("attempts", .array(attempts.map(attempt)))
    return .object(object.members)
  }

  private func attempt(_ attempt: AttemptRecord) -> JSONValue {
    var object = Members()
    object.add("number", JSONValue(attempt.number))
    object.add("state", .string(attempt.state.rawValue))
    object.add("started_at", time(attempt.startedAt))
    object.add("ended_at", time(attempt.endedAt))
    object.add("duration_ms", duration(attempt.startedAt, attempt.endedAt))
    object.add("exit_code", JSONValue(attempt.exitCode))
    object.add("signal", JSONValue(attempt.signal))
    object.add("error", JSONValue(attempt.error?.message))
    object.add("error_code", JSONValue(attempt.error?.code))
    // The operation has the result of its last attempt.
    object.add(result: attempt.result)
    object.add("stdout_file", JSONValue(attempt.standardOutput))
    object.add("stderr_file", JSONValue(attempt.standardError))
    object.add("retry_delay_ms", attempt.retryDelay.map { .double(Double($0) / 1000) } ?? .null)
    object.add("retry_due", time(attempt.retryDue))
    object.add("wake_cause", JSONValue(attempt.wakeCause))
    object.add("pid", JSONValue(attempt.pid.map(Int.init)))
    if let executor = attempt.executor { object.add("executor", .string(executor)) }
    if let handle = attempt.handle { object.add("handle", .string(handle)) }
    return .object(object.members)
  }

  private func approval(_ approval: Approval) -> JSONValue {
    var object = Members()
    object.add("operation", .string(approval.operation))
    object.add("ordinal", JSONValue(approval.ordinal))
    object.add("message", .string(approval.message))
    object.add("requested_at", time(approval.requestedAt))
    object.add("answered_at", time(approval.answer?.at))
    object.add("state", .string(approval.state))
    object.add("note", JSONValue(approval.answer?.note))
    object.add("who", JSONValue(approval.answer?.who))
    return .object(object.members)
  }

  private func time(_ time: RecordTime?) -> JSONValue {
    time.map { .string($0.exactText) } ?? .null
  }

  private func duration(_ start: RecordTime?, _ end: RecordTime?) -> JSONValue {
    guard let start, let end else { return .null }
    return .double(Double(end.microseconds - start.microseconds) / 1000)
  }
}

/// The members of an object while it grows.
private struct Members {
  var members: OrderedDictionary<String, JSONValue> = [:]

  mutating func add(_ name: String, _ value: JSONValue) {
    if value != .null { members[name] = value }
  }

  /// Recorded JSON text, of which null is not the same as nothing.
  mutating func add(recorded name: String, _ text: String?) {
    if text != nil { members[name] = JSONValue(recorded: text) }
  }

  mutating func add(result: RecordedResult) {
    switch result {
    case .none: break
    case .inline(let text): add(recorded: "result", text)
    case .file(let path, let size):
      members["result_file"] = .string(path)
      members["result_size"] = .int(size)
    }
  }
}

extension RecordTime {
  /// As ``text``, with microseconds: `2026-11-20T18:03:01.250123Z`.
  var exactText: String {
    let rest = ((microseconds % 1000) + 1000) % 1000
    let digits = String(rest)
    return text.dropLast() + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
  }

  /// Reads what ``exactText`` or ``text`` has written.
  init?(exactText text: String) {
    guard let seconds = TimestampNotation.parse(text), abs(seconds) < 1e11 else { return nil }
    self.init(secondsSince1970: seconds)
  }
}
