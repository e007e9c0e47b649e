import RunHistory
import RunReports

/// Finds operations that have been waiting for a while without a record, or for something that comes by itself. Waits of milliseconds are not shown.
struct WaitWatch {
  /// An operation of one of the runs on a board.
  struct Place: Hashable {
    let run: RunID
    let operation: String
  }

  /// The minimum duration of a wait that is shown.
  static let lasting = Duration.seconds(3)
  /// The minimum interval between two checks, because each check examines all operations.
  static let interval = Duration.seconds(1)

  /// What the operations that could begin wait for, by run.
  private(set) var slots: [RunID: SlotWait] = [:]
  /// The operations that could begin but have been waiting for long enough, by run, in the order of the file.
  private(set) var waiting: [RunID: [String]] = [:]
  /// The holders of the resources that operations wait for, as text that begins with a comma.
  private(set) var holding: [Place: String] = [:]
  private var since: [Place: ContinuousClock.Instant] = [:]
  private var looked: ContinuousClock.Instant?

  /// Checks a board, unless it was just checked.
  mutating func look(at board: RunBoard, _ source: WaitSource?, now: ContinuousClock.Instant = .now) {
    guard let source, looked.map({ now - $0 >= Self.interval }) ?? true else { return }
    looked = now
    var found: [Place: ContinuousClock.Instant] = [:]
    (slots, waiting, holding) = ([:], [:], [:])
    for (run, entry) in board.runs where entry.record.state == .running {
      for record in entry.operations.values where record.state == .waiting {
        guard case .resources(let names)? = record.operationReason else { continue }
        holding[Place(run: run, operation: record.name)] = source.holding(names)
      }
      guard let pipeline = entry.pipeline else { continue }
      let names = SlotWait.startable(in: pipeline, entry.operations.values).filter { name in
        let place = Place(run: run, operation: name)
        let start = since[place] ?? now
        found[place] = start
        return now - start >= Self.lasting
      }
      guard !names.isEmpty else { continue }
      let operations = entry.operations.values.sorted { $0.ordinal < $1.ordinal }
      slots[run] = SlotWait(
        among: operations, concurrency: pipeline.concurrency, processors: entry.record.processors
      ) {
        source.busyHost(entry.record)
      }
      if slots[run] != nil { waiting[run] = names }
    }
    since = found
  }

  /// Whether an operation could begin, and has not.
  func isStartable(_ place: Place) -> Bool { since[place] != nil }

  /// Whether an operation could begin and is none of these: its wait may become long.
  func hasUntold(besides told: Set<Place>) -> Bool { since.keys.contains { !told.contains($0) } }

  /// What an operation that could begin waits for; nil if it has not waited for long.
  func slot(for operation: String, in run: RunID) -> SlotWait? {
    waiting[run]?.contains(operation) == true ? slots[run] : nil
  }
}
