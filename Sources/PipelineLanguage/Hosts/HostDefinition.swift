/// What a host is to run and within which bounds, as its file (`host.yaml`) says: an immutable value.
///
/// ``load(path:)`` reads one. Without a file, a host has what `init()` gives.
public struct HostDefinition: Sendable, Hashable {
  /// How much may go on, and wait, at once.
  public struct Limits: Sendable, Hashable {
    /// How many runs go on at once. Default 8.
    public var runs = 8
    /// How many processes of all runs are there at once; nil, the default, for any number.
    public var processes: Int?
    /// How many runs wait at once; more are refused. Default 100,000.
    public var queued = 100_000

    /// The defaults.
    public init() {}
  }

  /// One of the queues in which runs wait for their turn.
  public struct Queue: Sendable, Hashable {
    /// The queue of pipelines that name none.
    public static let standard = "default"

    /// What pipelines call it.
    public var name: String
    /// How many of its runs go on at once.
    public var runs: Int
    /// Where its name is written; nil where the file does not declare it.
    public var range: SourceRange?

    /// A queue.
    public init(name: String, runs: Int, range: SourceRange? = nil) {
      self.name = name
      self.runs = runs
      self.range = range
    }
  }

  /// Something that operations of all runs share.
  public struct Resource: Sendable, Hashable {
    /// What pipelines call it.
    public var name: String
    /// How much of it there is.
    public var capacity: Int
    /// Where its name is written; nil where no file declares it.
    public var range: SourceRange?

    /// A resource.
    public init(name: String, capacity: Int, range: SourceRange? = nil) {
      self.name = name
      self.capacity = capacity
      self.range = range
    }
  }

  /// The environment that processes start with, before the variables of their pipeline.
  public struct Environment: Sendable, Hashable {
    /// The variables of the host that are passed on.
    public var pass = ["PATH", "HOME", "LANG", "TZ", "USER"]
    /// Variables with their values; they take precedence over those that are passed on.
    public var set: [String: String] = [:]

    /// The defaults.
    public init() {}

    /// The variables that processes get of a host whose own are `variables`.
    public func variables(of variables: [String: String]) -> [String: String] {
      var passed: [String: String] = [:]
      for name in pass { passed[name] = variables[name] }
      return passed.merging(set) { _, own in own }
    }
  }

  /// The file, as the user named it; nil without one.
  public var path: String?
  /// The absolute paths of files and folders with pipelines, in the order of the file; empty where it does not say. Links are not followed.
  public var pipelines: [String] = []
  /// The absolute path of the workspace; nil where the file does not say.
  public var workspace: String?
  /// How much may go on, and wait, at once.
  public var limits = Limits()
  /// The queues, in the order of the file. One called ``Queue/standard`` is always among them.
  public var queues = [Queue(name: Queue.standard, runs: Limits().runs)]
  /// What operations of all runs share, in the order of the file.
  public var resources: [Resource] = []
  /// The environment that processes start with.
  public var environment = Environment()
  /// What becomes of interrupted runs at the start of the host, for pipelines that do not say.
  public var onRestart = RestartPolicy.resume
  /// How long operations that are running may take to finish when the host ends. Default 10 minutes.
  public var drain = Duration.seconds(600)
  /// Which runs may be deleted, for pipelines that do not say; nil for none.
  public var retention: PipelineDefinition.Retention?
  /// Where `queues`, `resources` and the paths of `pipelines` are written.
  var keys = KeyRanges()

  /// Where keys of the file are written; nil for one that is not there.
  struct KeyRanges: Sendable, Hashable {
    var queues: SourceRange?
    var resources: SourceRange?
    /// Of each path, in the order of ``HostDefinition/pipelines``.
    var pipelines: [SourceRange] = []
  }

  /// A host without a file.
  public init() {}

  /// The queue that a pipeline names by `queue`; nil where there is none. Without a name, the default one.
  public func queue(_ name: String?) -> Queue? { queues.first { $0.name == name ?? Queue.standard } }

  /// The resource of this name; nil where the host declares none.
  public func resource(_ name: String) -> Resource? { resources.first { $0.name == name } }
}
