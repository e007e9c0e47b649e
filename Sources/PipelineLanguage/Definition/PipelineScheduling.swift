/// How a host queues and restarts the runs of a pipeline: its keys `queue`, `priority`, `on_restart` and `start_within`.
///
/// Only a host reads it. It does not count for `run`, for `run --watch`, or for a pipeline that another pipeline runs.
public struct PipelineScheduling: Sendable, Hashable {
  /// The priorities that a pipeline may have.
  public static let priorities = -1_000_000...1_000_000

  /// The queue in which its runs wait; nil for the host's default queue.
  public var queue: String?
  /// Runs of a pipeline with a higher priority begin first. Within ``priorities``; default 0.
  public var priority: Int
  /// What becomes of its interrupted runs when a host starts; nil for what the host decides.
  public var onRestart: RestartPolicy?
  /// How long after its occasion a run may still begin, greater than zero; nil for any time.
  public var startWithin: Duration?

  /// How a host queues and restarts runs.
  public init(
    queue: String? = nil, priority: Int = 0, onRestart: RestartPolicy? = nil, startWithin: Duration? = nil
  ) {
    self.queue = queue
    self.priority = priority
    self.onRestart = onRestart
    self.startWithin = startWithin
  }
}
