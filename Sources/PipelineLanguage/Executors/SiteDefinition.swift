/// The executors of a site, as `executors.yaml` defines them: an immutable value.
public struct SiteDefinition: Sendable {
  /// A Slurm cluster, and how it is used.
  public struct Cluster: Sendable {
    /// The name that pipelines use.
    public var name: String
    /// An absolute path of a directory that every node sees.
    public var shared = ""
    /// The program that nodes execute, an absolute path.
    public var program = ""
    /// The values for what operations leave open.
    public var defaults: [ExecutorUse.Setting: [String]] = [:]
    /// The largest amounts that operations may ask for.
    public var limits: [ExecutorUse.Setting: Int] = [:]
    /// Further options of `sbatch`.
    public var options: [String] = []
    /// The variables of the host that operations see.
    public var pass: [String] = []
    /// How much is asked of Slurm.
    public var queue = Queue()
    /// The place of its name.
    var range: SourceRange
  }

  /// How much is asked of Slurm.
  public struct Queue: Sendable, Hashable {
    /// The largest number of attempts in Slurm at a time. Default 5,000.
    public var most = 5000
    /// The largest number of attempts in one array. Default 1,000.
    public var array = 1000
    /// How long ready attempts are collected. Default 500 ms.
    public var window = Duration.milliseconds(500)
    /// The shortest time between two calls of a client. Default 500 ms: two calls a second.
    public var interval = Duration.milliseconds(500)
    /// How often Slurm is asked for the states of jobs. Default 10 s.
    public var poll = Duration.seconds(10)

    /// Creates the defaults.
    public init() {}
  }

  /// The file.
  public var path: String
  /// The clusters, in file order.
  public var clusters: [Cluster] = []

  /// Returns the cluster of this name; nil if there is none.
  public func cluster(_ name: String) -> Cluster? { clusters.first { $0.name == name } }
}

/// The top-level keys of a site's file.
enum SiteKey: String, CaseIterable, Sendable {
  case executors

  static let table = KeyTable<SiteKey>(
    "a site's file",
    [
      KeyRow(
        "executors", .map(keyPattern: NamePattern.operation, .keys(SiteExecutorKey.table.rows)),
        "The executors that pipelines can name, besides `local`.", required: true)
    ])
}

/// The keys of an executor of a site.
enum SiteExecutorKey: String, CaseIterable, Sendable {
  case slurm

  static let table = KeyTable<SiteExecutorKey>(
    "an executor", [KeyRow("slurm", .keys(SlurmKey.table.rows), "A Slurm cluster.", required: true)])
}

/// The keys of a Slurm cluster.
enum SlurmKey: String, CaseIterable, Sendable {
  case shared, program, partition, account, qos, defaults, limits, options, pass, queue, small

  static let table = KeyTable<SlurmKey>(
    "'slurm'",
    [
      KeyRow("shared", .text, "A directory that every node sees under this absolute path.", required: true),
      KeyRow(
        "program", .text, "The `penstock` that nodes execute, an absolute path.",
        default: "this executable, if it is on a network file system"),
      KeyRow("partition", .text, "The partition.", default: "that of the cluster"),
      KeyRow("account", .text, "The account that is charged.", default: "that of the user"),
      KeyRow("qos", .text, "The quality of service.", default: "that of the user"),
      KeyRow("defaults", .keys(SlurmDefaultKey.table.rows), "The values for what operations leave open."),
      KeyRow(
        "limits", .keys(SlurmLimitKey.table.rows),
        "The largest amounts that operations may ask for, checked when a pipeline is loaded.", default: "none"),
      KeyRow("options", .list(.text, minimum: 0), "Further options of `sbatch`, such as `--constraint=avx2`."),
      KeyRow(
        "pass", .list(.name(pattern: NamePattern.variable), minimum: 0), "Variables of the host that operations see.",
        default: "none"),
      KeyRow("queue", .keys(SlurmQueueKey.table.rows), "How much is asked of Slurm."),
      KeyRow(notAvailable: "small"),
    ])
}

/// The keys of a cluster's `defaults`.
enum SlurmDefaultKey: String, CaseIterable, Sendable {
  case cpus, memory, time, gpus, gres, constraint

  static let table = KeyTable<SlurmDefaultKey>(
    "'defaults'", ExecutorKey.settings().filter { SlurmDefaultKey(rawValue: $0.key) != nil })
}

/// The keys of a cluster's `limits`.
enum SlurmLimitKey: String, CaseIterable, Sendable {
  case cpus, memory, time, gpus

  static let table = KeyTable<SlurmLimitKey>(
    "'limits'",
    [
      KeyRow("cpus", .int(minimum: 1), "The most processors.", default: "none"),
      KeyRow("memory", .size, "The most memory.", default: "none"),
      KeyRow("time", .duration, "The longest time limit.", default: "none"),
      KeyRow("gpus", .int(minimum: 1), "The most accelerators.", default: "none"),
    ])
}

/// The keys of a cluster's `queue`.
enum SlurmQueueKey: String, CaseIterable, Sendable {
  case most, array, window, calls, poll

  static let table = KeyTable<SlurmQueueKey>(
    "'queue'",
    [
      KeyRow("most", .int(minimum: 1), "The largest number of attempts in Slurm at a time.", default: "5000"),
      KeyRow(
        "array", .int(minimum: 1), "The largest number of attempts in one array; less than Slurm's `MaxArraySize`.",
        default: "1000"),
      KeyRow("window", .duration, "How long ready attempts are collected for one array.", default: "500ms"),
      KeyRow("calls", .text, "The largest number of client calls, such as `2/s` or `30/m`.", default: "2/s"),
      KeyRow(
        "poll", .duration, "How often Slurm is asked for the states of jobs; at most a third of its `MinJobAge`.",
        default: "10s"),
    ])
}
