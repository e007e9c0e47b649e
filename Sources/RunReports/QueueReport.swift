import RunHistory
import Values

/// The runs that are queued, each with what it waits for.
package struct QueueReport: Sendable {
  /// A queued run.
  package struct Place: Sendable {
    package var place: QueuePlace
    /// How many begin before it, as far as is known now.
    package var before: Int
    /// What it waits for and who holds that, in words.
    package var reason: String
  }

  package private(set) var places: [Place] = []

  /// - Parameters:
  ///   - pipeline: Only runs of this pipeline. Default nil, for all.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  package init(of pipeline: String?, in history: History) throws {
    var reasons = try QueueReasons(in: history)
    for (index, place) in Self.order(try history.queue()).enumerated() {
      guard pipeline == nil || place.pipeline == pipeline else { continue }
      places.append(Place(place: place, before: index, reason: try reasons.reason(of: place)))
    }
  }

  /// The order in which they begin where none is held up.
  private static func order(_ places: [QueuePlace]) -> [QueuePlace] {
    var turns: [String: Int] = [:]
    let numbered = places.map { place in
      let key = "\(place.queue)\u{0}\(place.pipeline)\u{0}\(place.priority)"
      let turn = turns[key, default: 0]
      turns[key] = turn + 1
      return (place: place, turn: turn)
    }
    return numbered.sorted {
      (-$0.place.priority, $0.turn, $0.place.run) < (-$1.place.priority, $1.turn, $1.place.run)
    }.map(\.place)
  }
}

extension QueueReport.Place {
  /// The place with the names of the view `queue`.
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
