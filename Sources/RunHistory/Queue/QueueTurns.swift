import Workspace

/// Determines which queued runs are next: by priority, then in turns between pipelines, then by age.
///
/// Between two runs of a pipeline, each other pipeline with a queued run of the same priority begins one, in whatever queue. Within a queue, turns are
/// round-robin by name; between queues, the pipeline goes first whose latest turn is longest ago. Latest turns are recorded, so that the order continues
/// after a restart, and readers know it as well.
package struct QueueTurns {
  /// The runs of one priority in a queue, between whose pipelines turns alternate.
  struct Class: Hashable {
    var queue: String
    var priority: Int64
  }

  /// How many runs may begin.
  package struct Places: Sendable, Hashable {
    /// In all queues together.
    package var total: Int
    /// In each queue; a queue not listed has no limit.
    package var queues: [String: Int]

    package init(total: Int, queues: [String: Int] = [:]) {
      self.total = total
      self.queues = queues
    }
  }

  /// A run that this process has claimed from the queue.
  package struct Taken: Sendable {
    package var run: RunRecord
    let number: Int64
    package var queue: String
    /// The time by which it must have begun, or it is skipped.
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

  /// The queued runs.
  private var source: any QueuedRuns
  /// The pipeline with the latest turn in each class, as far as it has been read.
  private var latest: [Class: String] = [:]

  init(of source: some QueuedRuns) {
    self.source = source
  }

  /// Takes runs while there are slots, skipping pipelines for which `isHeld` is true.
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

  /// Returns the first run of the queue whose first run has the highest priority. If several have, it is that of the pipeline whose latest turn is longest
  /// ago, or the oldest run if they have had none.
  private mutating func next(besides closed: Set<String>, except isHeld: (String) -> Bool) throws -> Candidate? {
    var best: (candidate: Candidate, turn: Int64)?
    var queue = try source.queue(after: nil)
    while let name = queue {
      queue = try source.queue(after: name)
      guard !closed.contains(name), let first = try first(of: name, except: isHeld) else { continue }
      let turn = try source.turn(of: first.pipeline, priority: first.place.priority)
      if let (found, foundTurn) = best,
        (-found.place.priority, foundTurn, found.run) <= (-first.place.priority, turn, first.run)
      {
        continue
      }
      best = (first, turn)
    }
    return best?.candidate
  }

  /// Returns the first run of a queue, in the highest priority with a run that may begin.
  private mutating func first(of queue: String, except isHeld: (String) -> Bool) throws -> Candidate? {
    var above: Int64 = .max
    while let priority = try source.priority(in: queue, below: above) {
      let place = Class(queue: queue, priority: priority)
      let last = try latest[place] ?? source.latest(in: place) ?? ""
      latest[place] = last
      // First the pipelines after the one with the latest turn, then those from the first up to that one.
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

/// The queued runs, as read to determine which is next. Names are compared by their bytes, as in SQLite.
protocol QueuedRuns {
  /// Returns the next queue by name that has a run.
  func queue(after name: String?) throws -> String?
  /// Returns the highest priority below `limit` with a run in a queue.
  func priority(in queue: String, below limit: Int64) throws -> Int64?
  /// Returns the pipeline that had the latest turn, or nil if none has had one.
  func latest(in place: QueueTurns.Class) throws -> String?
  /// Returns the number of the latest turn that a pipeline had with a priority in any queue, or 0 if it has had none.
  func turn(of pipeline: String, priority: Int64) throws -> Int64
  /// Returns the oldest run of the first pipeline by name after `name`, and not after `end`.
  func first(in place: QueueTurns.Class, after name: String, upTo end: String?) throws -> QueueTurns.Candidate?
  /// Takes a run, which is its pipeline's turn.
  mutating func take(_ candidate: QueueTurns.Candidate) throws
}
