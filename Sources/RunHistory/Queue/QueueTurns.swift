import SQLite
import Workspace

/// Which queued runs are next: by priority, then turn by turn between pipelines, then by age.
///
/// Between two runs of a pipeline, each other pipeline that has a run of the same priority queued begins one.
package struct QueueTurns: Sendable {
  private struct Class: Hashable {
    var queue: String
    var priority: Int64
  }

  /// How many runs may begin.
  package struct Places: Sendable, Hashable {
    /// In all queues together.
    package var total: Int
    /// In each queue; one that is not named has no limit of its own.
    package var queues: [String: Int]

    package init(total: Int, queues: [String: Int] = [:]) {
      self.total = total
      self.queues = queues
    }
  }

  /// A run that this process has taken from the queue.
  package struct Taken: Sendable {
    package var run: RunRecord
    let number: Int64
    package var queue: String
    package var definition: String
    package var nested: [String: String]
  }

  /// The pipeline that had the latest turn.
  private var latest: [Class: String] = [:]

  package init() {}

  /// Takes runs while there are places, none of a pipeline for which `isHeld` is true. Needs a write transaction.
  mutating func take(
    _ places: Places, except isHeld: (String) -> Bool, taking: (String) -> Void, at time: RecordTime, in db: Database
  ) throws -> [(number: Int64, queue: String)] {
    var taken: [(number: Int64, queue: String)] = []
    var places = places
    var closed = Set(places.queues.filter { $0.value <= 0 }.keys)
    while places.total > 0, let candidate = try next(besides: closed, except: isHeld, in: db) {
      try db.cachedStatement(sql: "UPDATE queue_entry SET taken_at = ? WHERE run = ?")
        .execute(arguments: [time.microseconds, candidate.run])
      latest[candidate.place] = candidate.pipeline
      taking(candidate.pipeline)
      taken.append((candidate.run, candidate.place.queue))
      places.total -= 1
      if let left = places.queues[candidate.place.queue] {
        places.queues[candidate.place.queue] = left - 1
        if left <= 1 { closed.insert(candidate.place.queue) }
      }
    }
    return taken
  }

  private struct Candidate {
    var run: Int64
    var pipeline: String
    var place: Class
  }

  /// The first of the queue whose first run has the highest priority; the oldest one where several have.
  private func next(besides closed: Set<String>, except isHeld: (String) -> Bool, in db: Database) throws -> Candidate?
  {
    var best: Candidate?
    var queue: String? = try Self.queue(after: nil, in: db)
    while let name = queue {
      defer { queue = try? Self.queue(after: name, in: db) }
      guard !closed.contains(name), let first = try first(of: name, except: isHeld, in: db) else { continue }
      if let found = best, (-found.place.priority, found.run) <= (-first.place.priority, first.run) { continue }
      best = first
    }
    return best
  }

  private static func queue(after name: String?, in db: Database) throws -> String? {
    try String.fetchOne(
      db.cachedStatement(
        sql: "SELECT queue FROM queue_entry WHERE taken_at IS NULL AND queue > ? ORDER BY queue LIMIT 1"),
      arguments: [name ?? ""])
  }

  /// The first run of a queue, of its highest priority that has one which may begin.
  private func first(of queue: String, except isHeld: (String) -> Bool, in db: Database) throws -> Candidate? {
    var above: Int64 = .max
    while true {
      let priority = try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT max(priority) FROM queue_entry WHERE taken_at IS NULL AND queue = ? AND priority < ?"),
        arguments: [queue, above])
      guard let priority else { return nil }
      let place = Class(queue: queue, priority: priority)
      let last = latest[place] ?? ""
      // Those behind the one that had the latest turn, and then from the first one to that one.
      if let found = try first(of: place, after: last, upTo: nil, except: isHeld, in: db) { return found }
      if let found = try first(of: place, after: "", upTo: last, except: isHeld, in: db) { return found }
      above = priority
    }
  }

  private func first(
    of place: Class, after name: String, upTo end: String?, except isHeld: (String) -> Bool, in db: Database
  ) throws -> Candidate? {
    var name = name
    while true {
      let row = try Row.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT pipeline, run FROM queue_entry WHERE taken_at IS NULL AND queue = ?1 AND priority = ?2 AND pipeline > ?3
              AND (?4 IS NULL OR pipeline <= ?4)
            ORDER BY pipeline, run LIMIT 1
            """), arguments: [place.queue, place.priority, name, end])
      guard let row else { return nil }
      let pipeline: String = row[0]
      if !isHeld(pipeline) { return Candidate(run: row[1], pipeline: pipeline, place: place) }
      name = pipeline
    }
  }
}
