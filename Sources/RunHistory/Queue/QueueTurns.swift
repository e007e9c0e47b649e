import Workspace

/// Which queued runs are next: by priority, then turn by turn between pipelines, then by age.
///
/// Between two runs of a pipeline, each other pipeline that has a run of the same priority queued begins one. Whose turn it was last is recorded, so that
/// it goes on like that after a restart, and readers know the order as well.
package struct QueueTurns {
  /// The runs of one priority in a queue, between whose pipelines it goes turn by turn.
  struct Class: Hashable {
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
    /// When it must have begun, or it is left out.
    package var startBy: RecordTime?
    package var definition: String
    package var nested: [String: String]
  }

  /// A queued run.
  struct Candidate {
    /// The number of its record.
    var run: Int64
    var pipeline: String
    var place: Class
  }

  /// Where the runs are queued.
  private var source: any QueuedRuns
  /// The pipeline that had the latest turn, as far as it was looked for.
  private var latest: [Class: String] = [:]

  init(of source: some QueuedRuns) {
    self.source = source
  }

  /// Takes runs while there are places, none of a pipeline for which `isHeld` is true.
  mutating func take(
    _ places: Places, except isHeld: (String) -> Bool, taking: (Candidate) -> Void = { _ in }
  ) throws -> [Candidate] {
    var taken: [Candidate] = []
    var places = places
    var closed = Set(places.queues.filter { $0.value <= 0 }.keys)
    while places.total > 0, let candidate = try next(besides: closed, except: isHeld) {
      try source.take(candidate)
      latest[candidate.place] = candidate.pipeline
      taking(candidate)
      taken.append(candidate)
      places.total -= 1
      if let left = places.queues[candidate.place.queue] {
        places.queues[candidate.place.queue] = left - 1
        if left <= 1 { closed.insert(candidate.place.queue) }
      }
    }
    return taken
  }

  /// The first of the queue whose first run has the highest priority; the oldest one where several have.
  private mutating func next(besides closed: Set<String>, except isHeld: (String) -> Bool) throws -> Candidate? {
    var best: Candidate?
    var queue = try source.queue(after: nil)
    while let name = queue {
      queue = try source.queue(after: name)
      guard !closed.contains(name), let first = try first(of: name, except: isHeld) else { continue }
      if let found = best, (-found.place.priority, found.run) <= (-first.place.priority, first.run) { continue }
      best = first
    }
    return best
  }

  /// The first run of a queue, of its highest priority that has one which may begin.
  private mutating func first(of queue: String, except isHeld: (String) -> Bool) throws -> Candidate? {
    var above: Int64 = .max
    while let priority = try source.priority(in: queue, below: above) {
      let place = Class(queue: queue, priority: priority)
      let last = try latest[place] ?? source.latest(in: place) ?? ""
      latest[place] = last
      // Those behind the one that had the latest turn, and then from the first one to that one.
      if let found = try first(of: place, after: last, upTo: nil, except: isHeld) { return found }
      if let found = try first(of: place, after: "", upTo: last, except: isHeld) { return found }
      above = priority
    }
    return nil
  }

  private func first(
    of place: Class, after name: String, upTo end: String?, except isHeld: (String) -> Bool
  ) throws -> Candidate? {
    var name = name
    while let found = try source.first(in: place, after: name, upTo: end) {
      if !isHeld(found.pipeline) { return found }
      name = found.pipeline
    }
    return nil
  }
}

/// Runs that are queued, as they are looked at to find out which is next. Names are compared by their bytes, as SQLite does.
protocol QueuedRuns {
  /// The next queue by name that has a run.
  func queue(after name: String?) throws -> String?
  /// The highest priority below `limit` of which a run is in a queue.
  func priority(in queue: String, below limit: Int64) throws -> Int64?
  /// The pipeline that had the latest turn; nil where none had one.
  func latest(in place: QueueTurns.Class) throws -> String?
  /// The oldest run of the first pipeline by name that comes after `name`, and not after `end`.
  func first(in place: QueueTurns.Class, after name: String, upTo end: String?) throws -> QueueTurns.Candidate?
  /// Takes a run from its place, by which its pipeline has had its turn.
  mutating func take(_ candidate: QueueTurns.Candidate) throws
}
