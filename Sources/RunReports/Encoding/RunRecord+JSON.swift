import OrderedCollections
import RunHistory
import Values

extension RunRecord {
  /// Returns the run as JSON, with the names and units of the view `runs`.
  package func jsonValue() -> JSONValue {
    var object = identityMembers
    object.merge(countMembers) { $1 }
    object.merge(causeMembers) { $1 }
    return .object(object)
  }

  /// The members of ``jsonValue()`` that are CSV columns in a list of runs, in order.
  package static let columns = [
    "id", "pipeline", "state", "reason", "trigger", "created_at", "started_at", "ended_at", "duration_ms", "operations",
    "succeeded", "failed", "skipped", "cancelled", "reused", "host", "user", "path", "labels", "at",
  ]

  /// The members that identify the run, and its times.
  var identityMembers: OrderedDictionary<String, JSONValue> {
    [
      "id": .string(id.text), "pipeline": .string(pipeline), "state": .string(state.rawValue),
      "reason": JSONValue(reason),
      "trigger": .string(trigger.rawValue), "started_at": JSONValue(startedAt), "ended_at": JSONValue(endedAt),
      "duration_ms": durationMilliseconds.map { .double($0) } ?? .null, "created_at": JSONValue(createdAt),
      "host": .string(host), "user": .string(user), "version": .string(version), "params": JSONValue(recorded: params),
      "definition": .string(definitionHash), "path": JSONValue(path), "parent": JSONValue(parent?.run.text),
      "parent_operation": JSONValue(parent?.operation),
    ]
  }

  /// The number of its operations, and of each outcome.
  var countMembers: OrderedDictionary<String, JSONValue> {
    [
      "operations": JSONValue(counts.operations), "succeeded": JSONValue(counts.succeeded),
      "failed": JSONValue(counts.failed), "skipped": JSONValue(counts.skipped),
      "cancelled": JSONValue(counts.cancelled), "reused": JSONValue(counts.reused),
    ]
  }

  /// The controller that requested it, its event, the instant that the run stands for, who cancelled it, and its labels.
  var causeMembers: OrderedDictionary<String, JSONValue> {
    [
      "controller": JSONValue(controller), "event": JSONValue(recorded: event), "at": JSONValue(instant),
      "cancelled_by": JSONValue(canceller?.who), "cancelled_with": JSONValue(canceller?.means.rawValue),
      "labels": labelsValue,
    ]
  }
}

extension RunOutcome {
  /// Returns the event `result` at the end of a run: how it ended, and its results in the order of `operations`, else by name.
  package func jsonValue(operations: [String]?) -> JSONValue {
    var object: OrderedDictionary<String, JSONValue> = [
      "event": "result", "run": .string(run.id.text), "state": .string(run.state.rawValue),
      "time": JSONValue(run.endedAt), "reason": JSONValue(run.reason),
      "cancelled_by": JSONValue(run.canceller?.who), "cancelled_with": JSONValue(run.canceller?.means.rawValue),
      "duration_ms": run.durationMilliseconds.map { .double($0) } ?? .null,
    ]
    object.merge(run.countMembers) { $1 }
    var results: OrderedDictionary<String, JSONValue> = [:]
    for name in operations ?? self.results.keys.sorted() { results[name] = self.results[name] }
    object["results"] = .object(results)
    return .object(object)
  }
}
