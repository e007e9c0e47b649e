/// What a host runs and its limits, as its file (`host.yaml`) defines them: an immutable value.
///
/// ``load(path:)`` reads a file. Without one, a host uses the values of `init()`.
public struct HostDefinition: Sendable, Hashable {
  /// The limits on what runs and waits at once.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of runs at once. Default 8.
    public var runs = 8
    /// The maximum number of processes of all runs at once; nil, the default, means no limit.
    public var processes: Int?
    /// The maximum number of waiting runs; more are rejected. Default 100,000.
    public var queued = 100_000

    /// Creates the default limits.
    public init() {}
  }

  /// A queue in which runs wait.
  public struct Queue: Sendable, Hashable {
    /// The queue of pipelines that name none.
    public static let standard = "default"

    /// The name that pipelines use.
    public var name: String
    /// The maximum number of its runs at once.
    public var runs: Int
    /// The place of its name; nil if the file does not declare it.
    public var range: SourceRange?

    /// Creates a queue.
    public init(name: String, runs: Int, range: SourceRange? = nil) {
      self.name = name
      self.runs = runs
      self.range = range
    }
  }

  /// A resource that operations of all runs share.
  public struct Resource: Sendable, Hashable {
    /// The name that pipelines use.
    public var name: String
    /// The total amount.
    public var capacity: Int
    /// The place of its name; nil if no file declares it.
    public var range: SourceRange?

    /// Creates a resource.
    public init(name: String, capacity: Int, range: SourceRange? = nil) {
      self.name = name
      self.capacity = capacity
      self.range = range
    }
  }

  /// The initial environment of processes, before the variables of their pipeline.
  public struct Environment: Sendable, Hashable {
    /// The names of the host's variables that are passed on.
    public var pass = ["PATH", "HOME", "LANG", "TZ", "USER"]
    /// Variables with values, which take precedence over those passed on.
    public var set: [String: String] = [:]

    /// Creates the default environment.
    public init() {}

    /// Returns the variables of processes if the host's own are `variables`.
    public func variables(of variables: [String: String]) -> [String: String] {
      var passed: [String: String] = [:]
      for name in pass { passed[name] = variables[name] }
      return passed.merging(set) { _, own in own }
    }
  }

  /// The file, as the user named it; nil if there is none.
  public var path: String?
  /// The absolute paths of pipeline files and folders, in file order; empty if not specified. Symbolic links are not resolved.
  public var pipelines: [String] = []
  /// The absolute path of the workspace; nil if not specified.
  public var workspace: String?
  /// The limits on what runs and waits at once.
  public var limits = Limits()
  /// The queues, in file order; ``Queue/standard`` is always included.
  public var queues = [Queue(name: Queue.standard, runs: Limits().runs)]
  /// The resources that operations of all runs share, in file order.
  public var resources: [Resource] = []
  /// The initial environment of processes.
  public var environment = Environment()
  /// What happens to interrupted runs when the host starts, for pipelines that do not specify it.
  public var onRestart = RestartPolicy.resume
  /// How long running operations may take to finish when the host shuts down. Default 10 minutes.
  public var drain = Duration.seconds(600)
  /// Which runs may be deleted, for pipelines that do not specify it; nil for none.
  public var retention: PipelineDefinition.Retention?
  /// The places of `queues`, `resources` and the paths under `pipelines`.
  var keys = KeyRanges()

  /// The places of keys in the file; nil for a missing key.
  struct KeyRanges: Sendable, Hashable {
    var queues: SourceRange?
    var resources: SourceRange?
    /// The place of each path, in the order of ``HostDefinition/pipelines``.
    var pipelines: [SourceRange] = []
  }

  /// Creates a host without a file.
  public init() {}

  /// Returns the queue that a pipeline names under `queue`; nil if there is none. Without a name, returns the default queue.
  public func queue(_ name: String?) -> Queue? { queues.first { $0.name == name ?? Queue.standard } }

  /// Returns the resource of this name; nil if the host declares none.
  public func resource(_ name: String) -> Resource? { resources.first { $0.name == name } }
}
