import RunHistory
import RunReports

/// Selects the waits that end by themselves and are printed as plain lines: only long ones, and each only once.
struct PlainWaits {
  /// A long wait.
  struct Line: Equatable {
    /// The operations that wait.
    var subject: String
    /// What follows `waiting`.
    var words: String
  }

  private var watch = WaitWatch()
  private var told: Set<WaitWatch.Place> = []
  /// The times since when operations have been waiting, from their records.
  private var since: [WaitWatch.Place: ContinuousClock.Instant] = [:]
  /// The rounds that were reported: only the first wait of an operation is.
  private var rounds: Set<WaitWatch.Place> = []
  /// Whether there may be a wait that was not reported and may become long.
  private(set) var mayBecomeLong = false

  /// Records a change of the run.
  mutating func noteChange() { mayBecomeLong = true }

  /// The waits to report now.
  mutating func lasting(
    on board: RunBoard, _ source: WaitSource?, now: ContinuousClock.Instant = .now
  ) -> [Line] {
    guard mayBecomeLong else { return [] }
    watch.look(at: board, source, now: now)
    var lines: [Line] = []
    var current: Set<WaitWatch.Place> = []
    for (run, names) in watch.waiting.sorted(by: { $0.key.text < $1.key.text }) {
      let places = names.map { WaitWatch.Place(run: run, operation: $0) }
      current.formUnion(places)
      guard let slot = watch.slots[run], let first = places.first(where: { !told.contains($0) }) else { continue }
      let more = places.count { !told.contains($0) } - 1
      let subject = board.prefix(of: run) + first.operation + (more > 0 ? " and \(more) more" : "")
      lines.append(Line(subject: subject, words: "for \(slot.awaited)"))
    }
    // What the operation waits for may be free only for a moment.
    told = told.filter(watch.isStartable).union(current)
    let others = records(on: board, now, &lines)
    mayBecomeLong = others || watch.hasUntold(besides: told)
    return lines
  }

  /// Reports long waits among the records, and returns whether others may become long.
  private mutating func records(on board: RunBoard, _ now: ContinuousClock.Instant, _ lines: inout [Line]) -> Bool {
    var found: [WaitWatch.Place: ContinuousClock.Instant] = [:]
    var isPending = false
    for (run, entry) in board.runs where entry.record.state == .running {
      for record in entry.operations.values.sorted(by: { $0.ordinal < $1.ordinal }) where record.state == .waiting {
        guard let reason = record.operationReason, reason.passesUntold else { continue }
        let place = WaitWatch.Place(run: run, operation: record.name)
        let start = since[place] ?? now
        found[place] = start
        guard !rounds.contains(place) else { continue }
        guard now - start >= WaitWatch.lasting else {
          isPending = true
          continue
        }
        rounds.insert(place)
        lines.append(
          Line(subject: board.prefix(of: run) + record.title, words: StateReason.text(of: record, now: nil)))
      }
    }
    since = found
    return isPending
  }
}

extension OperationReason {
  /// Whether a plain presenter does not report it when it begins.
  fileprivate var passesUntold: Bool {
    switch self {
    case .concurrency, .place, .round: true
    default: false
    }
  }
}
