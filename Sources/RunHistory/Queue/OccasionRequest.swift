/// An occasion to be recorded, with the run that it requests.
package struct OccasionRequest: Sendable {
  /// What happens to a run while another one of its pipeline is running or queued.
  package enum Overlap: String, Sendable {
    case allow, queue, skip, cancel
  }

  package var occasion: Occasion
  /// The run to queue; nil if the reason why there is none is known.
  package var run: QueuedRun?
  package var overlap = Overlap.allow
  /// The maximum number of queued runs.
  package var capacity = Int.max
  /// Runs of the pipeline that are running, or are about to, even if their records do not say so yet.
  package var others: [RunID] = []

  /// Creates an occasion that requests a run.
  package init(
    _ occasion: Occasion, run: QueuedRun, overlap: Overlap = .allow, capacity: Int = .max, others: [RunID] = []
  ) {
    self.others = others
    self.occasion = occasion
    self.run = run
    self.overlap = overlap
    self.capacity = capacity
  }

  /// Creates an occasion without a run.
  package init(_ occasion: Occasion, without reason: Occasion.Reason) {
    self.occasion = occasion
    self.occasion.outcome = .skipped
    self.occasion.reason = reason
  }
}

/// A queued run: a row that belongs to no process, with everything that a host needs to begin it.
package struct QueuedRun: Sendable {
  /// Its record, in state `queued` and without a process.
  package var record: RunRecord
  /// The text of its definition, and the texts of the other files that it needs, as in `HistoryChange.runCreated`.
  package var definition: String
  package var nested: [String: String]
  /// The queue that it waits in.
  package var queue: String
  /// Its priority: runs with a higher priority begin first.
  package var priority: Int
  /// The time by which it must have begun, or it is skipped.
  package var startBy: RecordTime?

  package init(
    record: RunRecord, definition: String, nested: [String: String] = [:], queue: String = QueuedRun.defaultQueue,
    priority: Int = 0, startBy: RecordTime? = nil
  ) {
    self.record = record
    self.record.state = .queued
    self.record.owner = .nobody
    self.definition = definition
    self.nested = nested
    self.queue = queue
    self.priority = priority
    self.startBy = startBy
  }

  /// The queue of pipelines that specify none.
  package static let defaultQueue = "default"
}

/// The outcome of a request.
package enum Admission: Sendable, Hashable {
  /// Its run is queued, and replaces these runs.
  case queued(RunID, replacing: [RunID] = [])
  /// There is no run, for that reason, and because of that run if there is one.
  case skipped(Occasion.Reason, RunID?)
  /// The instant is already known, and nothing was recorded.
  case known

  /// The run that was queued.
  package var run: RunID? {
    if case .queued(let run, _) = self { run } else { nil }
  }
}

/// A queued run that had not begun within `start_within`.
package struct LateRun: Sendable, Hashable {
  package var run: RunID
  package var pipeline: String
}
