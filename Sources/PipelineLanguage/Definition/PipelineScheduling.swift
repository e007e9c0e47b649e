/// How a host queues and restarts the runs of a pipeline: its keys `queue`, `priority`, `on_restart` and `start_within`.
///
/// Only a host uses it. It does not apply to `run`, to `run --watch`, or to a nested pipeline.
public struct PipelineScheduling: Sendable, Hashable {
  /// The valid priorities.
  public static let priorities = -1_000_000...1_000_000

  /// The queue in which its runs wait; nil for the host's default queue.
  public var queue: String?
  /// The priority; runs of a pipeline with a higher priority start first. Within ``priorities``; default 0.
  public var priority: Int
  /// What happens to its interrupted runs when a host starts; nil for the host's default.
  public var onRestart: RestartPolicy?
  /// How long after its occasion a run may still start, greater than zero; nil for no limit.
  public var startWithin: Duration?

  /// Creates scheduling settings.
  public init(
    queue: String? = nil, priority: Int = 0, onRestart: RestartPolicy? = nil, startWithin: Duration? = nil
  ) {
    self.queue = queue
    self.priority = priority
    self.onRestart = onRestart
    self.startWithin = startWithin
  }
}
