import SQLite
import Workspace

/// What determines, besides the queue itself, the order in which a host takes queued runs.
package struct QueueOutlook {
  /// How many runs may be active at once.
  package var limits = QueueTurns.Places(total: .max)
  /// The runs that hold run slots, in the order in which they are expected to end.
  package var going: [PlacedRun] = []
  /// Pipelines with an active run that holds no run slot.
  package var resting: [String] = []
  /// Pipelines of which no run may begin.
  package var held: Set<String> = []
  /// Pipelines of which only one run is active at a time.
  package var single: Set<String> = []

  package init() {}
}

extension History {
  /// Returns the queued runs in the order in which a host takes them: first those that it has already claimed, then the others as if all runs took
  /// equally long. Runs that cannot begin come last.
  ///
  /// - Parameter outlook: Returns what determines the order; called with all queued runs.
  /// - Returns: The queued runs.
  /// - Throws: `WorkspaceError`, or the error of `outlook`.
  package func queueInOrder(
    _ outlook: ([QueuePlace]) throws -> QueueOutlook
  ) throws -> [QueuePlace] {
    let (rows, latest, served) = try read { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT q.run, r.id, q.pipeline, q.queue, q.priority, q.asked_at, q.start_by, q.taken_at
            FROM queue_entry q JOIN run_record r ON r.number = q.run ORDER BY q.taken_at, q.run
            """)
      ).compactMap { row in
        RunID(row[1] as String).map { run in
          (
            number: row[0] as Int64,
            place: QueuePlace(
              run: run, pipeline: row[2], queue: row[3], priority: row[4], askedAt: RecordTime(microseconds: row[5]),
              startBy: (row[6] as Int64?).map(RecordTime.init(microseconds:)), isTaken: (row[7] as Int64?) != nil)
          )
        }
      }
      let latestRows = try Row.fetchAll(db.cachedStatement(sql: "SELECT queue, priority, pipeline FROM queue_turn"))
      let latest = Dictionary(
        latestRows.map { (QueueTurns.Class(queue: $0[0], priority: $0[1]), $0[2] as String) }
      ) { first, _ in first }
      let turns = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT pipeline, priority, turn FROM pipeline_turn WHERE pipeline IN (SELECT pipeline FROM queue_entry)
            """))
      return (
        rows, latest,
        Dictionary(turns.map { (ListedQueue.Served(pipeline: $0[0], priority: $0[1]), $0[2] as Int64) }) { $1 }
      )
    }
    guard !rows.isEmpty else { return [] }
    let waiting = rows.filter { !$0.place.isTaken }
    let places = Dictionary(waiting.map { ($0.number, $0.place) }) { first, _ in first }
    let candidates = waiting.map { number, place in
      QueueTurns.Candidate(
        run: number, pipeline: place.pipeline,
        place: QueueTurns.Class(queue: place.queue, priority: Int64(place.priority)))
    }
    var turns = QueueTurns(of: ListedQueue(candidates, latest: latest, turns: served))
    let order = try outlook(rows.map(\.place)).order(of: &turns)
    return rows.filter(\.place.isTaken).map(\.place) + order.compactMap { places[$0.run] }
  }
}

extension QueueOutlook {
  /// A run that is assumed to be active.
  private struct Going {
    var pipeline: String
    /// The queue in which it holds a slot; nil if it holds none.
    var queue: String?
  }

  /// Takes all runs: repeatedly as many as may begin, after which the one that began first ends.
  fileprivate func order(of turns: inout QueueTurns) throws -> [QueueTurns.Candidate] {
    var order: [QueueTurns.Candidate] = []
    var places = limits
    func use(_ queue: String, _ count: Int) {
      if places.total < .max { places.total -= count }
      places.queues[queue]? -= count
    }
    var going = self.going.map { Going(pipeline: $0.pipeline, queue: $0.queue) }
    for run in self.going { use(run.queue, 1) }
    going += resting.map { Going(pipeline: $0, queue: nil) }
    var (ended, closed) = (0, held.union(single.intersection(going.map(\.pipeline))))
    while true {
      let taken = try turns.take(places, except: { closed.contains($0) }) { run in
        if single.contains(run.pipeline) { closed.insert(run.pipeline) }
      }
      order += taken
      for run in taken {
        use(run.place.queue, 1)
        going.append(Going(pipeline: run.pipeline, queue: run.place.queue))
      }
      guard ended < going.count else { break }
      let over = going[ended]
      ended += 1
      if let queue = over.queue { use(queue, -1) }
      if closed.contains(over.pipeline), !held.contains(over.pipeline),
        !going[ended...].contains(where: { $0.pipeline == over.pipeline })
      {
        closed.remove(over.pipeline)
      }
    }
    return order + (try turns.take(QueueTurns.Places(total: .max), except: { _ in false }))
  }
}
