/// Whatever could have started a run of a pipeline, and what came of it: a run, or the reason why there is none.
public struct Occasion: Sendable, Hashable {
  /// What kind of thing could have started a run.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// An instant of a schedule, or one that a backfill is for.
    case instant
    /// Something that a controller told.
    case event
    /// A condition turned true.
    case condition
    /// A person or a program asked for it.
    case request
    /// A person or a program asked for a run to be repeated.
    case retry

    /// Whether nobody asked for it.
    var comesByItself: Bool {
      switch self {
      case .instant, .event, .condition: true
      case .request, .retry: false
      }
    }
  }

  /// What came of it.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// A run, which has begun.
    case run
    /// A run that waits for its turn.
    case queued
    /// No run.
    case skipped
    /// A run that was queued, until a later occasion took its place.
    case replaced
  }

  /// Why there is no run.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// Another run of the pipeline goes on, or is queued, and `overlap` allows one.
    case overlap
    /// The pipeline is paused.
    case paused
    /// Its `automatic` does not hold.
    case notAutomatic = "not-automatic"
    /// The latest success is good enough, by `stale_when`.
    case notStale = "not-stale"
    /// No host ran at that instant.
    case hostDown = "host-down"
    /// A host ran at that instant, and did not serve the pipeline: its file, or the folder of that, was not there.
    case notServed = "not-served"
    /// `catch_up` makes up for no more instants.
    case catchUpLimit = "catch-up-limit"
    /// It had not begun within `start_within`.
    case tooLate = "too-late"
    /// As many runs are queued as may be, or as many of the pipeline as may begin by themselves.
    case queueFull = "queue-full"
    /// The pipeline's file has errors, or had them at that instant.
    case invalidDefinition = "invalid-definition"
    /// The params do not fit the pipeline.
    case invalidParams = "invalid-params"
    /// Another occasion was the same.
    case duplicate
    /// Somebody cancelled the run while it was queued.
    case cancelled
  }

  /// The name of the pipeline.
  public var pipeline: String
  /// What kind of thing it was.
  public var cause: Cause
  /// The controller that told of it, such as `cron`.
  public var controller: String?
  /// The instant that it is about: each is about one pipeline's at most once. Nil for what has none.
  public var instant: RecordTime?
  /// When the host, or a command, heard of it.
  public var askedAt: RecordTime
  /// The login name of the person who asked; nil where nobody did.
  public var askedBy: String?
  /// What came of it.
  public var outcome: Outcome = .run
  /// Why there is no run; nil where there is one.
  public var reason: Reason?
  /// Particulars of the reason, for people: the condition and why it does not hold, or what is wrong with a file.
  public var detail: String?
  /// Its run, or the one that stood in its way.
  public var run: RunID?
  /// How long after it, in milliseconds, its run began; nil where none has.
  public var lateMilliseconds: Double?

  /// Its instant; of one that has none, when somebody heard of it.
  package var time: RecordTime { instant ?? askedAt }

  /// Creates an occasion that somebody has heard of at `askedAt`.
  public init(
    pipeline: String, cause: Cause, controller: String? = nil, instant: RecordTime? = nil, askedAt: RecordTime,
    askedBy: String? = nil, detail: String? = nil
  ) {
    self.pipeline = pipeline
    self.cause = cause
    self.controller = controller
    self.instant = instant
    self.askedAt = askedAt
    self.askedBy = askedBy
    self.detail = detail
  }
}
