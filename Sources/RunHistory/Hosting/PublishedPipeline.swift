/// A pipeline that a host serves, as the host publishes it.
public struct PublishedPipeline: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The absolute path of its file.
  public var path: String
  /// Its description, for people to read.
  public var description: String?
  /// Its labels.
  public var labels: [String: String] = [:]
  /// The queue of its runs.
  public var queue = QueuedRun.defaultQueue
  /// The priority of its runs.
  public var priority = 0
  /// What is wrong with its file; nil if nothing is.
  public var problem: String?
  /// Whether a version of it is loaded, although its current file may have errors.
  public var isLoaded = true
  /// When the loaded version was loaded; if none is, since when that is so, as far as hosts have seen it.
  public var loadedAt: RecordTime
  /// The next instant at which it is due; nil if none is known.
  public var nextAt: RecordTime?
  /// What makes it due then, such as `cron`.
  public var nextCause: String?
  /// What else starts it: conditions, and controllers without instants.
  public var causes: String?

  /// Creates a loaded pipeline.
  public init(name: String, path: String, loadedAt: RecordTime) {
    self.name = name
    self.path = path
    self.loadedAt = loadedAt
  }
}
