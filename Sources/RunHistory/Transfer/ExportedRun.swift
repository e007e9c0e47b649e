import Values

/// A run with everything recorded about it, as an object from which an import creates the same records.
///
/// Names and units are those of the public views, except that times are exact to the microsecond; params, items, details and results are JSON values.
/// In addition there are the text of the definition, and numbers that address records. Missing values are omitted.
struct ExportedRun {
  let whole: RecordedRun

  init(_ whole: RecordedRun) { self.whole = whole }

  func value() -> JSONValue {
    let run = whole.run
    var object = ExportedMembers()
    object.add("id", .string(run.id.text))
    object.add("pipeline", .string(run.pipeline))
    object.add("state", .string(run.state.rawValue))
    object.add("reason", JSONValue(run.reason))
    object.add("trigger", .string(run.trigger.rawValue))
    object.add("started_at", .exact(run.startedAt))
    object.add("ended_at", .exact(run.endedAt))
    object.add("duration_ms", .milliseconds(run.startedAt, run.endedAt))
    object.add("created_at", .exact(run.createdAt))
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
    object.add("at", .exact(run.instant))
    object.add("cancelled_by", JSONValue(run.canceller?.who))
    object.add("cancelled_with", JSONValue(run.canceller?.means.rawValue))
    if !run.labels.isEmpty { object.add("labels", run.labelsValue) }
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
    var object = ExportedMembers()
    object.add("operation", .string(operation.name))
    object.add("ordinal", JSONValue(operation.ordinal))
    object.add("position", JSONValue(operation.position))
    object.add("parent", JSONValue(parent))
    for member in ExportedMember<OperationRecord>.all { member.write(operation, &object) }
    object.add("attempts", .array(attempts.map(attempt)))
    return .object(object.members)
  }

  private func attempt(_ attempt: AttemptRecord) -> JSONValue {
    var object = ExportedMembers()
    for member in ExportedMember<AttemptRecord>.all { member.write(attempt, &object) }
    return .object(object.members)
  }

  private func approval(_ approval: Approval) -> JSONValue {
    var object = ExportedMembers()
    object.add("operation", .string(approval.operation))
    object.add("ordinal", JSONValue(approval.ordinal))
    object.add("message", .string(approval.message))
    object.add("requested_at", .exact(approval.requestedAt))
    object.add("answered_at", .exact(approval.answer?.at))
    object.add("state", .string(approval.state))
    object.add("note", JSONValue(approval.answer?.note))
    object.add("who", JSONValue(approval.answer?.who))
    return .object(object.members)
  }
}

extension JSONValue {
  /// The text of an instant to the microsecond; null if there is none.
  static func exact(_ time: RecordTime?) -> JSONValue { time.map { .string($0.exactText) } ?? .null }

  /// The duration between two instants; null unless both are known.
  static func milliseconds(_ start: RecordTime?, _ end: RecordTime?) -> JSONValue {
    guard let start, let end else { return .null }
    return .double(Double(end.microseconds - start.microseconds) / 1000)
  }
}

extension RecordTime {
  /// The same as ``text``, but with microseconds: `2026-11-20T18:03:01.250123Z`.
  var exactText: String {
    let rest = ((microseconds % 1000) + 1000) % 1000
    let digits = String(rest)
    return text.dropLast() + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
  }

  /// Parses what ``exactText`` or ``text`` has written.
  init?(exactText text: String) {
    guard let seconds = TimestampNotation.parse(text), abs(seconds) < 1e11 else { return nil }
    self.init(secondsSince1970: seconds)
  }
}
