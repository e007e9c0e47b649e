/// Selects the runs of a listing. All conditions that are set must be true.
public struct RunFilter: Sendable, Hashable {
  /// The order of a listing.
  public enum Order: Sendable, Hashable {
    /// The latest first. The default.
    case newestFirst
    /// The earliest first.
    case oldestFirst
  }

  /// The name of the pipeline, or a pattern with `*`, `?` and `[…]`.
  public var pipeline: String?
  /// The states; empty for any. A run whose owner no longer exists is `interrupted`, whatever is recorded.
  public var states: Set<RunState>
  /// Only runs created at or after the instant.
  public var since: RecordTime?
  /// Only runs created before the instant.
  public var until: RecordTime?
  /// Only runs with an operation of that name; a loop is named without an index.
  public var operation: String?
  /// Only runs that have all of these labels.
  public var labels: [RunLabel]
  /// The history filter that runs must match; nil for none.
  public var condition: RunCondition?
  /// Whether nested runs are included.
  public var includesNested: Bool
  /// Whether nested runs are still included if their parent is not in the workspace.
  var includesParentless = false
  /// The maximum number of runs; nil for all.
  public var limit: Int?
  /// The order.
  public var order: Order

  /// Creates a filter; without arguments, for all runs that are not nested, the latest first.
  public init(
    pipeline: String? = nil, states: Set<RunState> = [], since: RecordTime? = nil, until: RecordTime? = nil,
    operation: String? = nil, labels: [RunLabel] = [], condition: RunCondition? = nil, includesNested: Bool = false,
    limit: Int? = nil, order: Order = .newestFirst
  ) {
    self.pipeline = pipeline
    self.states = states
    self.since = since
    self.until = until
    self.operation = operation
    self.labels = labels
    self.condition = condition
    self.includesNested = includesNested
    self.limit = limit
    self.order = order
  }
}
