import PluginHost
import Values

/// The top-level keys of a pipeline file.
package enum PipelineKey: String, CaseIterable, Sendable {
  case name, description, labels, include, params
  case paramsFile = "params_file"
  case env
  case envFile = "env_file"
  case secrets, defaults, executor, templates, concurrency, order, overlap, queue, priority, resources, timeout,
    operations
  case after
  case uses, controllers, plugins, specifications, automatic, http, retention
  case rerunOnChange = "rerun_on_change"
  case staleWhen = "stale_when"
  case onRestart = "on_restart"
  case startWithin = "start_within"
  case runWhen = "run_when"
  case otherwise

  /// The prefix of the author's own keys, such as places for YAML anchors.
  static let ownPrefix = "x-"

  /// Returns whether a key is the author's own, which the loader ignores.
  static func isOwn(_ key: String) -> Bool { key.hasPrefix(ownPrefix) }

  /// Returns whether a key is part of the language or the author's own.
  static func isKnown(_ key: String) -> Bool { table.place(of: key) != nil || isOwn(key) }

  static let table = KeyTable<PipelineKey>(
    "a pipeline",
    [
      KeyRow(
        "name", .name(pattern: NamePattern.pipeline), "The name of the pipeline in messages and in the history.",
        default: "the file name without its extension"),
      KeyRow("description", .text, "What the pipeline does, for readers of the file and of `penstock list`."),
      KeyRow(
        "labels", .map(keyPattern: LabelRule.namePattern, .text),
        "Names with short texts by which runs can be selected, such as `team: data`.", default: "none"),
      KeyRow(
        "include", .anyOf([.text, .list(.text, minimum: 1)]),
        "Shared files with `defaults`, `env`, `specifications` and `templates`; paths are relative to the directory of this file."
      ),
      KeyRow(
        "params", .map(keyPattern: NamePattern.member, .anyOf([.keys(ParameterKey.table.rows), .text])),
        "Typed values that are passed when the pipeline is started."),
      KeyRow(
        "params_file", SettingFileKey.form,
        "Files with values for params, as YAML, JSON or `NAME=value` lines; they take precedence over defaults."),
      KeyRow(
        "env", .map(keyPattern: NamePattern.variable, .template),
        "Environment variables for every process; also the context `env` of expressions."),
      KeyRow(
        "env_file", SettingFileKey.form,
        "Files with environment variables, as `NAME=value` lines; `env` takes precedence."),
      KeyRow(
        "secrets", .map(keyPattern: NamePattern.member, .oneKey(SecretKey.table.rows)),
        "Values that are read when the run starts, and masked in logs and results."),
      KeyRow("defaults", .keys(DefaultsKey.table.rows), "Values for operations that do not set these keys themselves."),
      KeyRow(
        "executor", ExecutorKey.form,
        "Where processes of operations run, and what they need there, for all that do not say it themselves.",
        default: "`local`"),
      KeyRow(
        "templates", .map(keyPattern: NamePattern.member, .operationTemplate),
        "Operations without a name, whose keys other operations take with `extends`."),
      KeyRow(
        "concurrency", .int(minimum: 1), "The largest number of operations that run at once.",
        default: "the number of processors"),
      KeyRow(
        "order", .choice(PipelineDefinition.Order.allCases.map(\.rawValue)),
        "The order of operations: by their dependencies (`graph`), or one after another as written (`chain`).",
        default: "graph"),
      KeyRow(
        "overlap", .choice(PipelineDefinition.Overlap.allCases.map(\.rawValue)),
        "What happens if the pipeline is started while another run of it is active.", default: "allow"),
      KeyRow(
        "queue", .name(pattern: NamePattern.operation),
        "The queue of the host in which runs wait; has no effect without a host.",
        default: "default"),
      KeyRow(
        "priority",
        .int(
          minimum: PipelineScheduling.priorities.lowerBound, maximum: PipelineScheduling.priorities.upperBound),
        "The rank of queued runs on a host: a higher number begins first.", default: "0"),
      KeyRow(
        "on_restart", .choice(RestartPolicy.allCases.map(\.rawValue)),
        "What a host does with interrupted runs when it starts.",
        default: "the value in `host.yaml`, otherwise `resume`"),
      KeyRow(
        "start_within", .duration,
        "The longest time between the occasion of a run and its beginning on a host; later, the run is dropped.",
        default: "no limit"),
      KeyRow(
        "resources", .map(keyPattern: NamePattern.member, .int(minimum: 1)),
        "The capacities that operations share, such as `gpu: 2`."),
      KeyRow("timeout", .duration, "The longest duration of a run.", default: "none"),
      KeyRow(
        "specifications",
        .map(keyPattern: NamePattern.member, .anyOf([.formula, .keys(SpecificationKey.table.rows)])),
        "Named conditions on the world outside the run, such as `online: connected`."),
      KeyRow(
        "automatic", .formula,
        "Whether the pipeline can run without a request: at first, after an edit, and by `rerun_on_change`.",
        default: "always"),
      KeyRow(
        "rerun_on_change", .formula, "Runs the pipeline again each time the condition turns true.", default: "never"),
      KeyRow(
        "stale_when", .formula,
        "Whether the latest success is too old; until then, the pipeline does not run without a request.",
        default: "always"),
      KeyRow(
        "plugins", .map(keyPattern: NamePattern.plugin, .anyOf([.text, .keys(PluginKey.table.rows)])),
        "Where plugins are, and what they may do; the short form is an id with a path."),
      KeyRow(
        "controllers", .anyOf([.keys(ControllerKey.table.rows), .list(.keys(ControllerKey.table.rows), minimum: 1)]),
        "Controllers, which start runs on `penstock serve` and `penstock run --watch`."),
      KeyRow(
        "retention", .keys(RetentionKey.table.rows),
        "Which runs are kept. A host deletes the others while no run is active, and so does `penstock history prune` without options.",
        default: "that of the host, otherwise all runs"),
      KeyRow("operations", .list(.operation, minimum: 1), "The operations of the pipeline.", required: true),
      KeyRow("after", .keys(EventKey.table.rows), "Handlers, which run after the operations have ended."),
      KeyRow(notAvailable: "http"), KeyRow(notAvailable: "uses"), KeyRow(notAvailable: "run_when"),
      KeyRow(notAvailable: "otherwise"),
    ])
}

/// The keys of `retention`.
enum RetentionKey: String, CaseIterable, Sendable {
  case keep
  case olderThan = "older_than"

  static let table = KeyTable<RetentionKey>(
    "'retention'",
    [
      KeyRow(
        "keep", .int(minimum: 0), "The number of latest runs that are kept regardless of their age.", default: "none"),
      KeyRow("older_than", .duration, "The age from which runs can be deleted.", default: "any"),
    ])
}

/// The keys of a parameter.
enum ParameterKey: String, CaseIterable, Sendable {
  case type, `default`, description, min, max, `enum`, pattern

  static let table = KeyTable<ParameterKey>(
    "a parameter",
    [
      KeyRow("type", .type, "The type that the value must have.", default: "the type of `default`, else `string`"),
      KeyRow(
        "default", .data, "The value if none is passed; cannot contain expressions.",
        default: "none: a value must be passed"),
      KeyRow("description", .text, "What the parameter means, for readers of the file."),
      KeyRow("min", .number, "The smallest number allowed."),
      KeyRow("max", .number, "The largest number allowed."),
      KeyRow("enum", .list(.data, minimum: 1), "The only values allowed."),
      KeyRow("pattern", .text, "A regular expression that the whole string must match."),
    ])
}

/// The keys of a secret, of which exactly one is given.
enum SecretKey: String, CaseIterable, Sendable {
  case env, file, command

  static let table = KeyTable<SecretKey>(
    "a secret",
    [
      KeyRow("env", .name(pattern: NamePattern.variable), "The environment variable that contains the secret."),
      KeyRow(
        "file", .text,
        "The file that contains the secret; one trailing newline is removed. A path can begin with `$CREDENTIALS_DIRECTORY/`, the folder that systemd provides to a service."
      ),
      KeyRow("command", .list(.text, minimum: 1), "The program and its arguments whose standard output is the secret."),
    ])
}

/// The keys of the long form of a specification.
enum SpecificationKey: String, CaseIterable, Sendable {
  case uses, hold, with

  static let table = KeyTable<SpecificationKey>(
    "a specification",
    [
      KeyRow(
        "uses", .formula,
        "A condition over specifications, or a specification of a plugin.",
        required: true),
      KeyRow(
        "with", .map(keyPattern: NamePattern.member, .data), "The settings of the plugin's specification.",
        default: "that of the plugin"),
      KeyRow(
        "hold", .duration,
        "How long the condition must be true before the specification turns true, which prevents flapping.",
        default: "0s"),
    ])
}

/// The keys of the long form of a plugin.
enum PluginKey: String, CaseIterable, Sendable {
  case path, sha256, isolation, limits, env, secrets

  static let table = KeyTable<PluginKey>(
    "a plugin",
    [
      KeyRow(
        "path", .text, "The path of the shared object, relative to the directory of the pipeline file.",
        default: "found by the id"),
      KeyRow(
        "sha256", .name(pattern: NamePattern.hash), "The SHA-256 hash that the file must have.", default: "any"),
      KeyRow(
        "isolation", .choice(PluginReference.Isolation.allCases.map(\.rawValue)),
        "Whether its code runs in the process of `penstock` (`host`) or in a child process (`process`).",
        default: "`host` for plugins that come with Penstock, otherwise `process`"),
      KeyRow("limits", .keys(PluginLimitKey.table.rows), "The limits of its child process."),
      KeyRow(
        "env", .list(.name(pattern: NamePattern.variable), minimum: 0),
        "Environment variables that its child process receives in addition to `PATH`, `HOME`, `LANG`, `TZ` and `TMPDIR`.",
        default: "none"),
      KeyRow(
        "secrets", .list(.name(pattern: NamePattern.member), minimum: 0), "Secrets that the plugin can request.",
        default: "none"),
    ])
}

/// The keys of a plugin's `limits`.
enum PluginLimitKey: String, CaseIterable, Sendable {
  case memory, descriptors

  static let table = KeyTable<PluginLimitKey>(
    "'limits'",
    [
      KeyRow("memory", .size, "The largest amount of memory that it can allocate.", default: "512MiB"),
      KeyRow("descriptors", .int(minimum: 16), "The largest number of open descriptors.", default: "256"),
    ])
}

/// The keys of a controller.
enum ControllerKey: String, CaseIterable, Sendable {
  case uses, with

  static let table = KeyTable<ControllerKey>(
    "a controller",
    [
      KeyRow(
        "uses", .name(pattern: NamePattern.offer), "The controller of a plugin, such as `cron`.", required: true),
      KeyRow(
        "with", .map(keyPattern: NamePattern.member, .data), "The settings of the controller.",
        default: "that of the plugin"),
    ])
}

/// The keys of `defaults`.
enum DefaultsKey: String, CaseIterable, Sendable {
  case timeout, grace, retry, env, directory, shell, executor

  static let table = KeyTable<DefaultsKey>(
    "'defaults'",
    rows(of: ["timeout", "grace", "retry", "env", "directory", "shell", "executor"]))

  // Reuses the rows of operations.
  private static func rows(of keys: [String]) -> [KeyRow] {
    OperationKey.table.rows.filter { keys.contains($0.key) }
  }
}

/// The keys of `after`.
enum EventKey: String, CaseIterable, Sendable {
  case success, failure, cancel, always

  static let table = KeyTable<EventKey>(
    "'after'",
    [
      KeyRow("success", .list(.operation, minimum: 0), "Handlers for a run that succeeded."),
      KeyRow("failure", .list(.operation, minimum: 0), "Handlers for a run that failed."),
      KeyRow("cancel", .list(.operation, minimum: 0), "Handlers for a run that was cancelled."),
      KeyRow("always", .list(.operation, minimum: 0), "Handlers for every run, after those above."),
    ])
}
