/// Something that could have started a run of a pipeline, and its outcome: a run, or the reason why there is none.
public struct Occasion: Sendable, Hashable {
  /// What could have started a run.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// An instant of a schedule or of a backfill.
    case instant
    /// A controller reported an event.
    case event
    /// A condition became true.
    case condition
    /// A person or a program requested it.
    case request
    /// A person or a program requested that a run be repeated.
    case retry

    /// Whether it occurs without a request.
    var comesByItself: Bool {
      switch self {
      case .instant, .event, .condition: true
      case .request, .retry: false
      }
    }
  }

  /// The outcome.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// A run, which has begun.
    case run
    /// A queued run.
    case queued
    /// No run.
    case skipped
    /// A run that was queued until a later occasion replaced it.
    case replaced
  }

  /// Why there is no run.
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// Another run of the pipeline is running or queued, and `overlap` allows only one.
    case overlap
    /// The pipeline is paused.
    case paused
    /// The pipeline's `automatic` is false.
    case notAutomatic = "not-automatic"
    /// The latest success is not stale by `stale_when`.
    case notStale = "not-stale"
    /// No host was running at that instant.
    case hostDown = "host-down"
    /// A host was running at that instant but did not serve the pipeline: its file or folder did not exist.
    case notServed = "not-served"
    /// `catch_up` does not cover more instants.
    case catchUpLimit = "catch-up-limit"
    /// A controller left the instant out for a reason of its own, which is the detail.
    case leftOut = "left-out"
    /// It had not begun within `start_within`.
    case tooLate = "too-late"
    /// The maximum number of runs are queued, or the maximum number of the pipeline's runs that begin by themselves.
    case queueFull = "queue-full"
    /// The pipeline's file has errors, or had them at that instant.
    case invalidDefinition = "invalid-definition"
    /// The params do not match the pipeline.
    case invalidParams = "invalid-params"
    /// Another occasion was the same.
    case duplicate
    /// The run was cancelled while it was queued.
    case cancelled
  }

  /// The name of the pipeline.
  public var pipeline: String
  /// What could have started a run.
  public var cause: Cause
  /// The controller that reported it, such as `cron`.
  public var controller: String?
  /// The instant that it is for: there is at most one occasion for each instant of a pipeline. Nil if it has none.
  public var instant: RecordTime?
  /// When the host, or a command, learned of it.
  public var askedAt: RecordTime
  /// The login name of the person who requested it; nil if no person did.
  public var askedBy: String?
  /// The outcome.
  public var outcome: Outcome = .run
  /// Why there is no run; nil if there is one.
  public var reason: Reason?
  /// Details of the reason, for people to read: the condition and why it is false, or what is wrong with a file.
  public var detail: String?
  /// Its run, or the one that prevented it.
  public var run: RunID?
  /// How long after it, in milliseconds, its run began; nil if none has.
  public var lateMilliseconds: Double?

  /// Its instant, or if it has none, when the host or a command learned of it.
  package var time: RecordTime { instant ?? askedAt }

  /// The detail of ``Reason/hostDown`` where a host was running at that instant.
  package static let clockJump = "the clock jumped over it, the computer was asleep, or the host was stopped"

  /// The detail of ``Reason/hostDown`` where a host was draining at that instant.
  package static let draining = "the host was draining"

  /// The detail of ``Reason/notServed`` where a trigger missed an instant while its file took effect.
  package static let edited = "its trigger was being restarted, because its file had changed"

  /// The detail of ``Reason/duplicate`` for an instant that may have had an occasion.
  package static let forgotten = "occasions of that time are no longer kept, so it may have been handled before"

  /// Creates an occasion that a host or a command learned of at `askedAt`.
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
