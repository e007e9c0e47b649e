/// An occasion to be recorded, with the run that it asks for.
package struct OccasionRequest: Sendable {
  /// What becomes of a run while another one of its pipeline goes on, or is queued.
  package enum Overlap: String, Sendable {
    case allow, queue, skip, cancel
  }

  package var occasion: Occasion
  /// The run to queue; nil where a reason is known why there is none.
  package var run: QueuedRun?
  package var overlap = Overlap.allow
  /// How many runs may be queued.
  package var capacity = Int.max
  /// Runs of the pipeline that go on, or are about to, also where their records do not say so yet.
  package var others: [RunID] = []

  /// An occasion that asks for a run.
  package init(
    _ occasion: Occasion, run: QueuedRun, overlap: Overlap = .allow, capacity: Int = .max, others: [RunID] = []
  ) {
    self.others = others
    self.occasion = occasion
    self.run = run
    self.overlap = overlap
    self.capacity = capacity
  }

  /// An occasion of which no run comes.
  package init(_ occasion: Occasion, without reason: Occasion.Reason) {
    self.occasion = occasion
    self.occasion.outcome = .skipped
    self.occasion.reason = reason
  }
}

/// A run that waits for its turn: a row that belongs to nobody, with all that a host needs to begin it.
package struct QueuedRun: Sendable {
  /// Its record, `queued` and of no process.
  package var record: RunRecord
  /// The text of its definition, and those of the files that it needs beside it, as `HistoryChange.runCreated` has them.
  package var definition: String
  package var nested: [String: String]
  /// The queue that it waits in.
  package var queue: String
  /// Runs of a higher priority begin first.
  package var priority: Int
  /// When it must have begun, or it is left out.
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

  /// The queue of pipelines that name none.
  package static let defaultQueue = "default"
}

/// What came of a request.
package enum Admission: Sendable, Hashable {
  /// Its run is queued, in the place of these.
  case queued(RunID, replacing: [RunID] = [])
  /// There is no run, for that reason, because of that run where there is one.
  case skipped(Occasion.Reason, RunID?)
  /// The instant is known already, and nothing was recorded.
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
