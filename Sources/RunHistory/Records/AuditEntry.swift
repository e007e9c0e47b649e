/// An action requested by a person or a program, recorded in the transaction that performs it: who did what, and how.
public struct AuditEntry: Sendable, Hashable {
  /// What was done. Any word is allowed, because later versions have other ones.
  public struct Action: RawRepresentable, Sendable, Hashable {
    /// The word that is stored.
    public let rawValue: String

    /// Creates an action from its word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A run of a pipeline was queued.
    public static let start = Action(rawValue: "start")
    /// A run that repeats another one was begun or queued.
    public static let retry = Action(rawValue: "retry")
    /// An interrupted run was resumed, or its host was requested to resume it.
    public static let resume = Action(rawValue: "resume")
    /// The cancellation of a run was requested.
    public static let cancel = Action(rawValue: "cancel")
    /// The cancellation of a run was requested, without a grace period for its processes.
    public static let kill = Action(rawValue: "kill")
    /// A waiting retry was requested to begin immediately.
    public static let wake = Action(rawValue: "wake")
    /// A question was answered with yes.
    public static let approve = Action(rawValue: "approve")
    /// A question was answered with no.
    public static let reject = Action(rawValue: "reject")
    /// A pipeline was paused.
    public static let pause = Action(rawValue: "pause")
    /// The pause of a pipeline was ended.
    public static let unpause = Action(rawValue: "unpause")
    /// The host was requested to read its pipelines again.
    public static let reload = Action(rawValue: "reload")
    /// The host was requested to begin nothing more.
    public static let drain = Action(rawValue: "drain")
    /// Runs were deleted.
    public static let prune = Action(rawValue: "prune")
    /// Runs were imported.
    public static let `import` = Action(rawValue: "import")
  }

  /// When it was done.
  public var time: RecordTime
  /// Who requested it, and how.
  public var requester: Requester
  /// What was done.
  public var action: Action
  /// What it was done to: the name of a pipeline, the id of a run, followed by the name of an operation if it concerns one, or `host`.
  public var target: String
  /// Details for people to read: a note, a reason, the id of the run that it started.
  public var detail: String?

  /// Creates an entry.
  public init(time: RecordTime, by requester: Requester, _ action: Action, _ target: String, detail: String? = nil) {
    self.time = time
    self.requester = requester
    self.action = action
    self.target = target
    self.detail = detail
  }

  /// Returns the target for an operation of a run.
  static func target(_ run: RunID, _ operation: String) -> String { "\(run.text) \(operation)" }
}

/// A person or a program that requests something, and by which means.
public struct Requester: Sendable, Hashable {
  /// How something was requested. Any word is allowed, because later versions have other ones.
  public struct Means: RawRepresentable, Sendable, Hashable {
    /// The word that is stored.
    public let rawValue: String

    /// Creates a means from its word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// By a command of `penstock`.
    public static let command = Means(rawValue: "command")
    /// By a key, on a terminal that shows the run.
    public static let terminal = Means(rawValue: "terminal")
    /// By a signal to the process that performs it.
    public static let signal = Means(rawValue: "signal")
    /// By the `retention` of a host or of pipelines.
    public static let retention = Means(rawValue: "retention")
  }

  /// The login name.
  public var who: String
  /// The means.
  public var means: Means

  /// Creates a requester.
  public init(_ who: String, by means: Means = .command) {
    self.who = who
    self.means = means
  }
}
