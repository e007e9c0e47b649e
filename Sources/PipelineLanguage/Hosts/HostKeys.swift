/// The top-level keys of a host's file.
enum HostKey: String, CaseIterable, Sendable {
  case pipelines, workspace, limits, queues, resources, environment
  case onRestart = "on_restart"
  case drain, retention
  case env, concurrency

  static let table = KeyTable<HostKey>(
    "a host",
    [
      KeyRow(
        "pipelines", .anyOf([.text, .list(.text, minimum: 1)]),
        "Pipeline files, and folders of them: every `*.yaml` and `*.yml` file at any depth, except files and folders whose names begin with `.` or `_`. Paths start from this file's directory.",
        default: "`./pipelines` of the directory in which the host is started"),
      KeyRow(
        "workspace", .text,
        "The directory in which runs are recorded; a relative path starts from this file's directory.",
        default: "as for other commands"),
      KeyRow(
        "limits", .keys(HostLimitKey.table.rows),
        "How many runs and processes may be active, and how many runs may wait, at once."),
      KeyRow(
        "queues", .map(keyPattern: NamePattern.operation, .keys(HostQueueKey.table.rows)),
        "The queues that pipelines can name with `queue`.", default: "only `default`, which always exists"),
      KeyRow(
        "resources", .map(keyPattern: NamePattern.member, .int(minimum: 1)),
        "Capacities that operations of all runs share, such as `gpu: 1`.", default: "none"),
      KeyRow(
        "environment", .keys(HostEnvironmentKey.table.rows),
        "The environment variables that processes start with; a pipeline adds its own."),
      KeyRow(
        "on_restart", .choice(RestartPolicy.allCases.map(\.rawValue)),
        "What a starting host does with interrupted runs, unless a pipeline has its own `on_restart`.",
        default: "resume"),
      KeyRow(
        "drain", .duration, "How long active runs may continue when the host is told to shut down.",
        default: "10m"),
      KeyRow(
        "retention", .keys(RetentionKey.table.rows),
        "Which runs are deleted when nothing is due, unless a pipeline has its own `retention`.", default: "none"),
      KeyRow(
        elsewhere: "env", "is a key of pipelines",
        fix: "write 'environment: { set: { NAME: text } }' for the processes of all pipelines"),
      KeyRow(
        elsewhere: "concurrency", "is a key of pipelines",
        fix: "'limits' sets how many runs and processes there may be at once"),
    ])
}

extension HostKey {
  /// Returns whether a file is a host's rather than a pipeline: it has some key that only hosts have, and none that only pipelines have.
  static func areAll(of root: YAMLNode) -> Bool {
    let names = (root.entries ?? []).map(\.name).filter { !PipelineKey.isOwn($0) }
    let isHosts = { (name: String) in table.place(of: name)?.row.isAvailable == true }
    return names.allSatisfy(isHosts) && names.contains { !PipelineKey.isKnown($0) }
  }
}

/// The keys of a host's `limits`.
enum HostLimitKey: String, CaseIterable, Sendable {
  case runs, processes, queued

  /// The maximum value of any limit.
  static let largest = 10_000_000

  static let table = KeyTable<HostLimitKey>(
    "'limits'",
    [
      KeyRow("runs", .int(minimum: 1, maximum: largest), "How many runs may be active at once.", default: "8"),
      KeyRow(
        "processes", .int(minimum: 1, maximum: largest),
        "How many operations of all runs may be active at once: processes, requests and operations of plugins.",
        default: "no limit"),
      KeyRow(
        "queued", .int(minimum: 1, maximum: largest), "How many runs may wait at once; more are rejected.",
        default: "100000"),
    ])
}

/// The keys of a queue.
enum HostQueueKey: String, CaseIterable, Sendable {
  case runs

  static let table = KeyTable<HostQueueKey>(
    "a queue",
    [
      KeyRow(
        "runs", .int(minimum: 1, maximum: HostLimitKey.largest), "How many of its runs may be active at once.",
        default: "the `runs` of `limits`")
    ])
}

/// The keys of a host's `environment`.
enum HostEnvironmentKey: String, CaseIterable, Sendable {
  case pass, set

  static let table = KeyTable<HostEnvironmentKey>(
    "'environment'",
    [
      KeyRow(
        "pass", .list(.name(pattern: NamePattern.variable), minimum: 0),
        "Variables of the host that processes inherit.",
        default: "[\(HostDefinition.Environment().pass.joined(separator: ", "))]"),
      KeyRow(
        "set", .map(keyPattern: NamePattern.variable, .text),
        "Variables and their values; they take precedence over inherited ones.", default: "none"),
    ])
}
