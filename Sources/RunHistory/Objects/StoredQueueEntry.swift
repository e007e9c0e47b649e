import Workspace

/// The queue entry of a run, until the run begins.
struct StoredQueueEntry: Storable {
  /// The number of the run.
  var run: Int64
  var pipeline: String
  var queue: String
  var priority: Int64
  var askedAt: Int64
  /// The time by which the run must have begun, or it is skipped.
  var startBy: Int64?
  /// When a host claimed it; nil while it waits.
  var takenAt: Int64?

  static let run = Field("run", \StoredQueueEntry.run)
  static let pipeline = Field("pipeline", \StoredQueueEntry.pipeline)
  static let queue = Field("queue", \StoredQueueEntry.queue)
  static let priority = Field("priority", \StoredQueueEntry.priority)
  static let askedAt = Field("asked_at", \StoredQueueEntry.askedAt)
  static let startBy = Field("start_by", \StoredQueueEntry.startBy)
  static let takenAt = Field("taken_at", \StoredQueueEntry.takenAt)
  static let schema = ObjectSchema(
    "queue_entry", StoredQueueEntry.init, run, pipeline, queue, priority, askedAt, startBy, takenAt, key: run)
}
