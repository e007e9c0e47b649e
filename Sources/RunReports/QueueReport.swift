import PipelineLanguage
import RunHistory
import Values

/// The queued runs, each with what it waits for.
package struct QueueReport: Sendable {
  /// A queued run.
  package struct Place: Sendable {
    package var place: QueuePlace
    /// How many runs are expected to begin before it, assuming that all take equally long.
    package var before: Int
    /// What it waits for and what holds that, in words.
    package var reason: String

    /// Whether nothing prevents it from beginning.
    package var isAboutToBegin: Bool { before == 0 && [QueueReasons.turn, QueueReasons.begins].contains(reason) }
  }

  package private(set) var places: [Place] = []

  /// The number of runs beyond ``most``.
  package private(set) var left = 0

  /// The maximum number of runs reported.
  package static let most = 1000

  /// - Parameters:
  ///   - pipeline: Only runs of this pipeline. Default nil, for all.
  ///   - run: Only this run. Default nil, for all.
  ///   - labels: Only runs that have all of these labels. Default: none, for all.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  package init(
    of pipeline: String? = nil, run: RunID? = nil, labels: [RunLabel] = [], in history: History
  ) throws {
    let labelled =
      labels.isEmpty ? nil : Set(try history.runs(RunFilter(states: [.queued], labels: labels)).map(\.id))
    var reasons = try QueueReasons(in: history)
    let order = try history.queueInOrder(reasons.outlook)
    // Runs that are left out do not precede any other.
    for (index, place) in (order.filter { !reasons.isLate($0) } + order.filter(reasons.isLate)).enumerated() {
      guard pipeline == nil || place.pipeline == pipeline, run == nil || place.run == run,
        labelled?.contains(place.run) ?? true
      else { continue }
      guard places.count < Self.most else {
        left += 1
        continue
      }
      places.append(Place(place: place, before: index, reason: try reasons.reason(of: place)))
    }
  }
}

extension QueueReport.Place {
  /// Returns the place as JSON, with the names of the view `queue`.
  package func jsonValue() -> JSONValue {
    .object([
      "run": .string(place.run.text), "pipeline": .string(place.pipeline), "queue": .string(place.queue),
      "priority": JSONValue(place.priority), "asked_at": JSONValue(place.askedAt), "start_by": JSONValue(place.startBy),
      "taken": .bool(place.isTaken), "before": JSONValue(before), "waits_for": .string(reason),
    ])
  }
}

extension Occasion {
  /// The occasion with the names of the view `occasions`.
  package func jsonValue() -> JSONValue {
    .object([
      "pipeline": .string(pipeline), "cause": .string(cause.rawValue), "controller": JSONValue(controller),
      "instant": JSONValue(instant), "asked_at": JSONValue(askedAt), "outcome": .string(outcome.rawValue),
      "reason": JSONValue(reason?.rawValue), "run": JSONValue(run?.text),
      "late_ms": lateMilliseconds.map { .double($0) } ?? .null, "asked_by": JSONValue(askedBy),
      "detail": JSONValue(detail),
    ])
  }
}
