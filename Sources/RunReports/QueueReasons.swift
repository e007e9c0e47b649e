import PipelineLanguage
import RunHistory
import Values
import Workspace

/// Determines what queued runs wait for, and what holds it.
struct QueueReasons {
  private let history: History
  private let now = RecordTime.now
  private let host: HostRecord?
  private let standstill: HostStandstill?
  private let configuration: JSONValue?
  private let pauses: [String: Pause]
  private let placed: [PlacedRun]
  /// A full disk, in the words of `status`, since the host could not record it.
  private let fullDisk: String?
  /// The turn leases of pipelines looked up so far.
  private var turns: [String: Lease?] = [:]

  /// The reasons shown for a run that a host takes from the queue at its next check.
  static let (turn, begins) = ("its turn", "nothing: it is about to begin")

  /// The reason shown for a run whose deadline to begin has passed, until it is left out.
  static let late = "nothing: it did not start in time and is skipped"

  /// The maximum number of holders that are named.
  private static let named = 3

  init(
    in history: History, disk: (String) -> Checkup.Finding? = Checkup.disk(of:)
  ) throws {
    self.history = history
    fullDisk = disk(history.workspace.directory)?.problem.map { "room to write: \($0)" }
    host = try history.currentHost()
    standstill = host.flatMap(history.standstill)
    // If no host is running, the next one is probably configured like the last one.
    configuration = try (host ?? history.hosts(limit: 1).first).flatMap { try? JSONValue.parse($0.configuration) }
    pauses = Dictionary(try history.pauses(at: now).map { ($0.pipeline, $0) }) { first, _ in first }
    placed = try host.map { try history.placedRuns(of: $0.owner) } ?? []
  }

  /// Returns whether the deadline by which the run must have begun has passed.
  func isLate(_ place: QueuePlace) -> Bool { place.startBy.map { $0 < now } ?? false }

  mutating func reason(of place: QueuePlace) throws -> String {
    if isLate(place) { return Self.late }
    if let standstill { return standstill.awaited }
    if place.isTaken {
      return try turn(of: place) ?? history.run(place.run)?.preparation?.awaited ?? fullDisk ?? Self.begins
    }
    guard let host else { return "a host: no host serves the workspace" }
    if host.state == .draining { return "the next host: this one is draining" }
    if host.state == .starting { return "the host, which is starting" }
    if let fullDisk { return fullDisk }
    if let pause = pauses[place.pipeline] { return "the end of a pause: \(pause.words)" }
    if let turn = try turn(of: place) { return turn }
    let limit = configuration?["limits"]?["runs"]?.intValue
    // A queue that allows as many runs as the whole host is not the limit.
    if let most = configuration?["queues"]?[place.queue]?.intValue, most < limit ?? .max {
      let holders = placed.filter { $0.queue == place.queue }
      if holders.count >= most {
        return try words("a slot in the queue '\(place.queue)'", most, "queues.\(place.queue).runs", holders)
      }
    }
    if let limit, placed.count >= limit { return try words("a slot", limit, "limits.runs", placed) }
    return Self.turn
  }

  /// Returns what determines the order in which these begin.
  func outlook(of places: [QueuePlace]) throws -> QueueOutlook {
    var outlook = QueueOutlook()
    outlook.limits.total = configuration?["limits"]?["runs"]?.intValue.map { Int(clamping: $0) } ?? .max
    outlook.limits.queues = (configuration?["queues"]?.objectValue ?? [:]).reduce(into: [:]) { limits, queue in
      limits[queue.key] = queue.value.intValue.map { Int(clamping: $0) }
    }
    outlook.going = placed
    outlook.held = Set(pauses.keys)
    // The latest run of a pipeline has its newest definition.
    for place in Dictionary(places.map { ($0.pipeline, $0) }, uniquingKeysWith: { $1 }).values
    where RecordedKey.isTurn(try history.definition(of: place.run) ?? "") {
      outlook.single.insert(place.pipeline)
      guard let lease = try history.turn(of: place.pipeline) else { continue }
      let holder = LeaseHolder(lease.holder)?.run
      if !placed.contains(where: { $0.run == holder }) { outlook.resting.append(place.pipeline) }
    }
    return outlook
  }

  /// Returns, for example, `a place: limits.runs of the host lets 1 run go on at once: run 03kx9fab of 'nightly' has it`.
  private func words(_ what: String, _ most: Int64, _ key: String, _ holders: [PlacedRun]) throws -> String {
    try "\(what): \(key) of the host allows \(most) \(most == 1 ? "run" : "runs") at once: \(words(holders))"
  }

  /// Returns, for example, `run 03kx9fab of 'nightly' has it`.
  private func words(_ holders: [PlacedRun]) throws -> String {
    guard !holders.isEmpty else { return "none may begin" }
    var names = try holders.prefix(Self.named).map { "run \(try history.shortForm(of: $0.run)) of '\($0.pipeline)'" }
    if holders.count > Self.named { names.append("\(holders.count - Self.named) more") }
    let last = names.removeLast()
    return names.isEmpty ? "\(last) has it" : "\(names.joined(separator: ", ")) and \(last) have them"
  }

  /// Describes the holder of the pipeline's turn if the run waits for it: one run is active at a time, or the run replaces another one that is being
  /// cancelled. Nil if no other run holds it.
  private mutating func turn(of place: QueuePlace) throws -> String? {
    let lease = try turns[place.pipeline] ?? history.turn(of: place.pipeline)
    turns[place.pipeline] = .some(lease)
    guard let lease else { return nil }
    let overlap = RecordedKey.overlap(try history.definition(of: place.run) ?? "")
    guard overlap == .queue || place.isTaken && overlap != .allow else { return nil }
    let run = LeaseHolder(lease.holder)?.run
    guard run != place.run else { return nil }
    let holder = try run.map { "run \(try history.shortForm(of: $0))" } ?? lease.holder
    if overlap == .cancel {
      return "its turn: \(holder) in process \(lease.owner.pid), which it replaces, is being cancelled"
    }
    return
      "its turn: only one run of '\(place.pipeline)' is active at a time, now \(holder) in process \(lease.owner.pid)"
  }
}
