/// Which runs a listing shows. Every condition that is set must hold.
public struct RunFilter: Sendable, Hashable {
  /// The order of a listing.
  public enum Order: Sendable, Hashable {
    /// The latest first. The default.
    case newestFirst
    /// The earliest first.
    case oldestFirst
  }

  /// A name, or a pattern with `*`, `?` and `[…]`, of the pipeline.
  public var pipeline: String?
  /// The states; empty for any. A run whose owner is gone is `interrupted`, whatever is recorded.
  public var states: Set<RunState>
  /// Only runs created at or after the instant.
  public var since: RecordTime?
  /// Only runs created before the instant.
  public var until: RecordTime?
  /// Only runs with an operation of that name; a loop is named without its index.
  public var operation: String?
  /// Only runs that have all of these labels.
  public var labels: [RunLabel]
  /// What must hold of the run; nil for nothing.
  public var condition: RunCondition?
  /// Whether runs that operations of other runs started are listed too.
  public var includesNested: Bool
  /// Whether, of these, those are listed all the same whose parent is not in the workspace.
  var includesParentless = false
  /// The most runs to list; nil for all.
  public var limit: Int?
  /// The order.
  public var order: Order

  /// Creates a filter; without arguments, all runs that are not nested, the latest first.
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
