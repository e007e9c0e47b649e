/// Something that a person or a program asked for, recorded in the transaction that does it: who did what, and how.
public struct AuditEntry: Sendable, Hashable {
  /// What was done. Any word is allowed, since later versions have other ones.
  public struct Action: RawRepresentable, Sendable, Hashable {
    /// The word that is stored.
    public let rawValue: String

    /// Creates an action from its word.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A run of a pipeline was queued.
    public static let start = Action(rawValue: "start")
    /// A run was begun, or queued, that repeats another one.
    public static let retry = Action(rawValue: "retry")
    /// An interrupted run was resumed, or its host was asked to resume it.
    public static let resume = Action(rawValue: "resume")
    /// A run was asked to end.
    public static let cancel = Action(rawValue: "cancel")
    /// A run was asked to end, and its processes get no time for that.
    public static let kill = Action(rawValue: "kill")
    /// A waiting retry was asked to begin now.
    public static let wake = Action(rawValue: "wake")
    /// A question was answered with yes.
    public static let approve = Action(rawValue: "approve")
    /// A question was answered with no.
    public static let reject = Action(rawValue: "reject")
    /// A pipeline was paused.
    public static let pause = Action(rawValue: "pause")
    /// The pause of a pipeline was ended.
    public static let unpause = Action(rawValue: "unpause")
    /// The host was asked to read its pipelines anew.
    public static let reload = Action(rawValue: "reload")
    /// The host was asked to begin nothing more.
    public static let drain = Action(rawValue: "drain")
    /// Runs were deleted.
    public static let prune = Action(rawValue: "prune")
    /// Runs were imported.
    public static let `import` = Action(rawValue: "import")
  }

  /// When it was done.
  public var time: RecordTime
  /// Who asked for it, and how.
  public var requester: Requester
  /// What was done.
  public var action: Action
  /// What it was done to: the name of a pipeline, the id of a run, with the name of an operation behind it where it is about one, or `host`.
  public var target: String
  /// Particulars, for people: a note, a reason, the id of a run that was begun by it.
  public var detail: String?

  /// Creates an entry.
  public init(time: RecordTime, by requester: Requester, _ action: Action, _ target: String, detail: String? = nil) {
    self.time = time
    self.requester = requester
    self.action = action
    self.target = target
    self.detail = detail
  }

  /// How an operation of a run is named as a target.
  static func target(_ run: RunID, _ operation: String) -> String { "\(run.text) \(operation)" }
}

/// A person or a program that asks for something, and how it does.
public struct Requester: Sendable, Hashable {
  /// How something was asked for. Any word is allowed, since later versions have other ones.
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
    /// By a signal to the process that does it.
    public static let signal = Means(rawValue: "signal")
    /// By the `retention` of a host or of pipelines.
    public static let retention = Means(rawValue: "retention")
  }

  /// The login name.
  public var who: String
  /// How.
  public var means: Means

  /// Creates a requester.
  public init(_ who: String, by means: Means = .command) {
    self.who = who
    self.means = means
  }
}
