import PluginHost
import Values

/// The top-level keys of a pipeline file.
package enum PipelineKey: String, CaseIterable, Sendable {
  case name, description, labels, include, params
  case paramsFile = "params_file"
  case env
  case envFile = "env_file"
  case secrets, defaults, templates, concurrency, order, overlap, queue, priority, resources, timeout, operations
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
        default: "the name of the file without its extension"),
      KeyRow("description", .text, "A description of the pipeline for people."),
      KeyRow(
        "labels", .map(keyPattern: LabelRule.namePattern, .text),
        "Names with short texts for finding its runs, such as `team: data`.", default: "none"),
      KeyRow(
        "include", .anyOf([.text, .list(.text, minimum: 1)]),
        "Files with `defaults`, `env`, `specifications` and `templates` that several pipelines share; paths start from this file's directory."
      ),
      KeyRow(
        "params", .map(keyPattern: NamePattern.member, .anyOf([.keys(ParameterKey.table.rows), .text])),
        "Typed values that are passed when a run is started."),
      KeyRow(
        "params_file", SettingFileKey.form,
        "Files with values of params, in YAML, JSON or `NAME=value` lines. They take precedence over defaults."),
      KeyRow(
        "env", .map(keyPattern: NamePattern.variable, .template),
        "Environment variables of every process; also the `env` context."),
      KeyRow(
        "env_file", SettingFileKey.form,
        "Files with environment variables, as `NAME=value` lines; `env` takes precedence."),
      KeyRow(
        "secrets", .map(keyPattern: NamePattern.member, .oneKey(SecretKey.table.rows)),
        "Values that are read when the run starts, and masked wherever they would be shown."),
      KeyRow("defaults", .keys(DefaultsKey.table.rows), "Default values for keys of operations."),
      KeyRow(
        "templates", .map(keyPattern: NamePattern.member, .operationTemplate),
        "Operations without a name, whose keys an operation inherits with `extends`."),
      KeyRow(
        "concurrency", .int(minimum: 1), "How many operations may run at once.", default: "the number of processors"),
      KeyRow(
        "order", .choice(PipelineDefinition.Order.allCases.map(\.rawValue)),
        "With `chain`, each operation needs the one before it.", default: "graph"),
      KeyRow(
        "overlap", .choice(PipelineDefinition.Overlap.allCases.map(\.rawValue)),
        "What happens when the pipeline is started while another run of it is active.", default: "allow"),
      KeyRow(
        "queue", .name(pattern: NamePattern.operation),
        "The queue of the host in which its runs wait. It has no effect without a host.",
        default: "default"),
      KeyRow(
        "priority",
        .int(
          minimum: PipelineScheduling.priorities.lowerBound, maximum: PipelineScheduling.priorities.upperBound),
        "Under a host, queued runs of a pipeline with a higher priority start first.", default: "0"),
      KeyRow(
        "on_restart", .choice(RestartPolicy.allCases.map(\.rawValue)),
        "What a host does with interrupted runs of the pipeline when it starts.",
        default: "the value in `host.yaml`, else `resume`"),
      KeyRow(
        "start_within", .duration,
        "Under a host, how long after its occasion a run may start; a later one is skipped.", default: "no limit"),
      KeyRow(
        "resources", .map(keyPattern: NamePattern.member, .int(minimum: 1)),
        "Capacities that operations share, such as `gpu: 2`."),
      KeyRow("timeout", .duration, "The time limit of the whole run.", default: "none"),
      KeyRow(
        "specifications",
        .map(keyPattern: NamePattern.member, .anyOf([.formula, .keys(SpecificationKey.table.rows)])),
        "Names for conditions on the environment, such as `online: connected`."),
      KeyRow(
        "automatic", .formula,
        "While it is true, the pipeline may run by itself: at first, after an edit, and because of `rerun_on_change`.",
        default: "always"),
      KeyRow(
        "rerun_on_change", .formula, "The pipeline runs again whenever this becomes true.", default: "never"),
      KeyRow(
        "stale_when", .formula, "The pipeline runs by itself only if this is true of its latest success.",
        default: "always"),
      KeyRow(
        "plugins", .map(keyPattern: NamePattern.plugin, .anyOf([.text, .keys(PluginKey.table.rows)])),
        "The paths and permissions of plugins: each id with a path, or with several keys."),
      KeyRow(
        "controllers", .anyOf([.keys(ControllerKey.table.rows), .list(.keys(ControllerKey.table.rows), minimum: 1)]),
        "Controllers of plugins that start runs of the pipeline, under a host or `penstock run --watch`."),
      KeyRow(
        "retention", .keys(RetentionKey.table.rows),
        "Which of its runs are kept. The others are deleted by its host when no run is active, and by `penstock history prune` without other options.",
        default: "the value of the host, else all"),
      KeyRow("operations", .list(.operation, minimum: 1), "The operations of the pipeline.", required: true),
      KeyRow("after", .keys(EventKey.table.rows), "Handlers that run after the pipeline has ended."),
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
        "keep", .int(minimum: 0), "How many of the latest runs are kept regardless of their age.", default: "none"),
      KeyRow("older_than", .duration, "The age from which runs may be deleted.", default: "any"),
    ])
}

/// The keys of a parameter.
enum ParameterKey: String, CaseIterable, Sendable {
  case type, `default`, description, min, max, `enum`, pattern

  static let table = KeyTable<ParameterKey>(
    "a parameter",
    [
      KeyRow("type", .type, "The type of the value.", default: "the type of `default`, else `string`"),
      KeyRow(
        "default", .data, "The value if none is passed; without expressions.", default: "none: a value is required"),
      KeyRow("description", .text, "A description of the parameter for people."),
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
      KeyRow("env", .name(pattern: NamePattern.variable), "The environment variable that contains it."),
      KeyRow(
        "file", .text,
        "The file that contains it; one newline at its end is removed. A path can begin with `$CREDENTIALS_DIRECTORY/`, the directory that systemd provides to a service."
      ),
      KeyRow("command", .list(.text, minimum: 1), "The arguments of a command that prints it on standard output."),
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
        "The specification: one of the built-in specifications, a condition on specifications, or one of a plugin.",
        required: true),
      KeyRow(
        "with", .map(keyPattern: NamePattern.member, .data), "The settings of a plugin's specification.",
        default: "the defaults of the plugin"),
      KeyRow(
        "hold", .duration, "How long `uses` must be true before the specification is, to prevent flapping.",
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
        "path", .text, "The shared object; a relative path starts from the directory of the pipeline file.",
        default: "found by its id"),
      KeyRow(
        "sha256", .name(pattern: NamePattern.hash), "The SHA-256 that the file must have.", default: "any"),
      KeyRow(
        "isolation", .choice(PluginReference.Isolation.allCases.map(\.rawValue)),
        "Whether its code runs in the process of `penstock` or in a child process.",
        default: "host for the plugins that come with Penstock, process for all others"),
      KeyRow("limits", .keys(PluginLimitKey.table.rows), "The limits of its child process."),
      KeyRow(
        "env", .list(.name(pattern: NamePattern.variable), minimum: 0),
        "Environment variables of its child process besides `PATH`, `HOME`, `LANG`, `TZ` and `TMPDIR`.",
        default: "none"),
      KeyRow(
        "secrets", .list(.name(pattern: NamePattern.member), minimum: 0), "The secrets that it may request.",
        default: "none"),
    ])
}

/// The keys of a plugin's `limits`.
enum PluginLimitKey: String, CaseIterable, Sendable {
  case memory, descriptors

  static let table = KeyTable<PluginLimitKey>(
    "'limits'",
    [
      KeyRow("memory", .size, "The maximum memory that it may allocate.", default: "512MiB"),
      KeyRow("descriptors", .int(minimum: 16), "The maximum number of open descriptors.", default: "256"),
    ])
}

/// The keys of a controller.
enum ControllerKey: String, CaseIterable, Sendable {
  case uses, with

  static let table = KeyTable<ControllerKey>(
    "a controller",
    [
      KeyRow(
        "uses", .name(pattern: NamePattern.offer), "A controller of a plugin, such as `cron`.", required: true),
      KeyRow(
        "with", .map(keyPattern: NamePattern.member, .data), "Its settings.", default: "the defaults of the plugin"),
    ])
}

/// The keys of `defaults`.
enum DefaultsKey: String, CaseIterable, Sendable {
  case timeout, grace, retry, env, directory, shell

  static let table = KeyTable<DefaultsKey>(
    "'defaults'",
    rows(of: ["timeout", "grace", "retry", "env", "directory", "shell"]))

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
