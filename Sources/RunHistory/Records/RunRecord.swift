import Workspace

/// Why a run was started.
public struct RunTrigger: RawRepresentable, Sendable, Hashable {
  /// The word that is stored and shown.
  public let rawValue: String

  /// Creates a trigger from its word. Any word is allowed, because plugins may have their own.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A controller of a plugin started it; the run's `controller` identifies it.
  public static let controller = RunTrigger(rawValue: "controller")
  /// A person started it.
  public static let manual = RunTrigger(rawValue: "manual")
  /// A person retried the failed operations of an earlier run.
  public static let retry = RunTrigger(rawValue: "retry")
  /// An operation of another run started it.
  public static let nested = RunTrigger(rawValue: "nested")
}

/// How many operations the pipeline of a run has, and how many have ended in each state. Handlers, and the items of loops, are not counted.
public struct RunCounts: Sendable, Hashable {
  /// All operations, ended or not.
  public var operations = 0
  /// Those that succeeded.
  public var succeeded = 0
  /// Those that failed.
  public var failed = 0
  /// Those that were skipped.
  public var skipped = 0
  /// Those that were cancelled.
  public var cancelled = 0
  /// Those whose result was reused from an earlier run.
  public var reused = 0

  /// Creates counts, all zero unless given.
  public init(
    operations: Int = 0, succeeded: Int = 0, failed: Int = 0, skipped: Int = 0, cancelled: Int = 0, reused: Int = 0
  ) {
    self.operations = operations
    self.succeeded = succeeded
    self.failed = failed
    self.skipped = skipped
    self.cancelled = cancelled
    self.reused = reused
  }
}

/// The durable row of one run.
public struct RunRecord: Sendable, Hashable {
  /// The operation that started a nested run.
  public struct Parent: Sendable, Hashable {
    /// The run it belongs to.
    public let run: RunID
    /// Its instance name, `deploy` or `deploy[3]`.
    public let operation: String
    /// The number of the attempt that started it; nil in records of versions that did not record it.
    public let attempt: Int?

    /// Creates a parent.
    public init(run: RunID, operation: String, attempt: Int? = nil) {
      self.run = run
      self.operation = operation
      self.attempt = attempt
    }
  }

  /// The identity of the run.
  public var id: RunID
  /// The name of the pipeline.
  public var pipeline: String
  /// The SHA-256 of the definition's text, in hexadecimal.
  public var definitionHash: String
  /// The absolute path that the definition was read from; nil if it did not come from a file.
  public var path: String?
  /// The params as a JSON object, without secrets.
  public var params: String
  /// The labels that it can be found by: names with short texts.
  public var labels: [String: String] = [:]
  /// Why it was started.
  public var trigger: RunTrigger
  /// The controller that started it, such as `cron`.
  public var controller: String?
  /// What that controller reported, as JSON: `run.event`.
  public var event: String?
  /// The instant that it stands for, if that is not its start: `run.at`.
  public var instant: RecordTime?
  /// The name of the computer.
  public var host: String
  /// The login name.
  public var user: String
  /// The version of Penstock.
  public var version: String
  /// The process that executes it, or executed it last.
  public var owner: ProcessIdentity
  /// The fencing token, which increases each time that the run is taken from a process. Changes with a smaller one are rejected.
  public var fence: Int64 = 1
  /// The operation that started it, for a nested run.
  public var parent: Parent?
  /// What it reuses from another run, and what it leaves out.
  public var origin = RunOrigin()
  /// The state, as recorded; readers see ``RunState/interrupted`` if the owner no longer exists.
  public var state: RunState
  /// A stable code for why it ended as it did, if the state is not sufficient.
  public var reason: String?
  /// The person or process that cancelled it; nil if there was none, and in records of versions that did not record it.
  public var canceller: RunCanceller?
  /// When it was first recorded.
  public var createdAt: RecordTime
  /// When its first operation could begin.
  public var startedAt: RecordTime?
  /// When it ended.
  public var endedAt: RecordTime?
  /// The operation counts. Set `operations` when the run is created; the others are recorded at its end.
  public var counts: RunCounts

  /// Creates the record of a run that begins.
  public init(
    id: RunID, pipeline: String, definitionHash: String, path: String?, params: String = "{}",
    trigger: RunTrigger = .manual, host: String, user: String, version: String, owner: ProcessIdentity = .current,
    parent: Parent? = nil, state: RunState = .queued, reason: String? = nil, createdAt: RecordTime = .now,
    startedAt: RecordTime? = nil, endedAt: RecordTime? = nil, counts: RunCounts = RunCounts()
  ) {
    self.id = id
    self.pipeline = pipeline
    self.definitionHash = definitionHash
    self.path = path
    self.params = params
    self.trigger = trigger
    self.host = host
    self.user = user
    self.version = version
    self.owner = owner
    self.parent = parent
    self.state = state
    self.reason = reason
    self.createdAt = createdAt
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.counts = counts
  }
}

extension RunRecord {
  /// Whether it is queued and belongs to no process.
  package var isUnowned: Bool { state == .queued && owner == .nobody }

  /// Whether it was imported: then it was not executed by a known process of this computer.
  package var isImported: Bool { owner.boot.isEmpty && owner != .nobody }

  /// The duration of the run in milliseconds; nil until it has ended.
  package var durationMilliseconds: Double? {
    guard let startedAt, let endedAt else { return nil }
    return Double(endedAt.microseconds - startedAt.microseconds) / 1000
  }

  /// Returns the name of the lease that a run holds while no other run of its pipeline may be running.
  package static func turn(of pipeline: String) -> String { "pipeline:\(pipeline)" }
}
