import RunHistory
import Values

/// The runs that are queued, each with what it waits for.
package struct QueueReport: Sendable {
  /// A queued run.
  package struct Place: Sendable {
    package var place: QueuePlace
    /// How many begin before it, as far as is known now.
    package var before: Int
    /// What it waits for, in words.
    package var reason: String
  }

  package private(set) var places: [Place] = []

  /// - Parameters:
  ///   - pipeline: Only runs of this pipeline. Default nil, for all.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  package init(of pipeline: String?, in history: History) throws {
    let host = try history.currentHost()
    let pauses = Dictionary(try history.pauses(at: .now).map { ($0.pipeline, $0) }) { first, _ in first }
    let configuration = host.flatMap { try? JSONValue.parse($0.configuration) }
    var running: [String: RunID] = [:]
    for run in try history.runs(RunFilter(states: [.running], limit: 1000)) { running[run.pipeline] = run.id }
    for (index, place) in Self.order(try history.queue()).enumerated() {
      guard pipeline == nil || place.pipeline == pipeline else { continue }
      places.append(
        Place(
          place: place, before: index,
          reason: Self.reason(
            place, host: host, pause: pauses[place.pipeline], configuration: configuration,
            other: running[place.pipeline])))
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

  private static func reason(
    _ place: QueuePlace, host: HostRecord?, pause: Pause?, configuration: JSONValue?, other: RunID?
  ) -> String {
    if place.isTaken { return "nothing: it is about to begin" }
    guard let host else { return "a host: none serves the workspace" }
    if host.state == .draining { return "the next host: this one is draining" }
    if let pause { return "the end of a pause: \(pause.words)" }
    if let runs = configuration?["queues"]?[place.queue]?.intValue {
      return "a place in the queue '\(place.queue)', which lets \(runs) run at once"
        + (other.map { "; run \($0.short) of the pipeline goes on" } ?? "")
    }
    guard let runs = configuration?["limits"]?["runs"]?.intValue else { return "its turn" }
    return "a place: \(runs) runs may go on at once" + (other.map { "; run \($0.short) of the pipeline goes on" } ?? "")
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
