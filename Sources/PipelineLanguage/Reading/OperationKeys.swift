/// The keys of an operation other than its action.
enum OperationKey: String, CaseIterable, Sendable {
  case name, description, extends, params
  case needs, inject, requires, result, when, retry, `repeat`, timeout, grace
  case allowFailure = "allow_failure"
  case forEach = "for_each"
  case matrix, label
  case failFast = "fail_fast"
  case maxFailures = "max_failures"
  case exclusive, resources, env
  case envFile = "env_file"
  case directory, shell, stdin, artifacts
  case staleAfter = "stale_after"
  case with
  case runWhen = "run_when"
  case otherwise
  case waitAtMost = "wait_at_most"
  case staleWhen = "stale_when"
  case rerunOnChange = "rerun_on_change"
  case controllers, labels, priority, queue

  /// Returns the kinds of actions that accept the key.
  private static func takers(of key: OperationKey) -> [ActionKey] {
    ActionKey.allCases.filter { $0.kind.takes.contains(key) }
  }

  static let table = KeyTable<OperationWord>(
    "an operation", head + ActionKey.allCases.flatMap { $0.kind.rows } + rest)

  private static var head: [KeyRow] {
    [
      KeyRow(
        "name", .name(pattern: NamePattern.operation),
        "The name by which others refer to it; unique regardless of case.",
        required: true),
      KeyRow("description", .text, "A description of the operation for people."),
      KeyRow(
        "extends", .name(pattern: NamePattern.member),
        "The template whose keys it inherits; its own keys take precedence, and mappings are merged key by key."),
    ]
  }

  private static var rest: [KeyRow] {
    [
      KeyRow(
        "params", .map(keyPattern: NamePattern.member, .data), "The values of the nested pipeline's params.",
        only: takers(of: .params)),
      KeyRow(
        "needs", .anyOf([.text, .list(.text, minimum: 0)]), "Operations that must end before this one starts."),
      KeyRow(
        "inject", .anyOf([.template, .map(keyPattern: NamePattern.variable, .template)]),
        "The requirement: an operation's name or an expression (on standard input), or named values (in the environment). A plugin gets the value, or an object of the named values.",
        only: takers(of: .inject)),
      KeyRow("requires", .type, "The type of the requirement.", only: takers(of: .requires)),
      KeyRow(
        "result", .type, "The type of the result.", default: "text; JSON if it is an object or a list",
        only: takers(of: .result)),
      KeyRow(
        "run_when", .formula,
        "The operation starts only when this is true. Until then it waits, unless `otherwise` is set.",
        default: "always"),
      KeyRow(
        "otherwise", .choice(OperationDefinition.Gate.Otherwise.allCases.map(\.rawValue)),
        "What happens to the operation if `run_when` is not true in time.",
        default: "wait; once `wait_at_most` is over, fail"),
      KeyRow(
        "wait_at_most", .duration, "How long the operation waits for `run_when`.",
        default: "no limit; with `otherwise: skip` or `fail`, not at all"),
      KeyRow(
        "when", .expression, "The operation runs only if this is true; otherwise it is skipped.", default: "success()"),
      KeyRow(
        "retry", .anyOf([.int(minimum: 0), .keys(RetryKey.table.rows)]), "How failures are retried.",
        default: "0; 3 for `notify`, and for `http` with an idempotent method",
        only: takers(of: .retry)),
      KeyRow(
        "repeat", .keys(RepeatKey.table.rows),
        "Runs the action again after it succeeded; `previous` is the result of the previous round.",
        only: takers(of: .repeat)),
      KeyRow("timeout", .duration, "The time limit of one attempt.", default: "none"),
      KeyRow(
        "grace", .duration, "The time between SIGTERM and SIGKILL; for a plugin, the time it has to end.",
        default: "10s",
        only: takers(of: .grace)),
      KeyRow("allow_failure", .bool, "Whether the run can succeed although this operation fails.", default: "false"),
      KeyRow(
        "for_each", .anyOf([.expression, .list(.data, minimum: 0), .keys(ForEachKey.table.rows)]),
        "Runs the action once for each item of a list; the result is the list of results."),
      KeyRow(
        "matrix",
        .keysAndMap(
          MatrixKey.table.rows, keyPattern: NamePattern.member, except: NamePattern.misspeltMatrixKey,
          .anyOf([.list(.data, minimum: 0), .expression])),
        "Runs the action once for each combination; the last name varies fastest."),
      KeyRow(
        "label", .template, "The label of an item, shown after its number.",
        default: "the item's value; for a mapping, its values"),
      KeyRow(
        "fail_fast", .bool,
        "Whether a loop cancels the items that are running once `max_failures` of its items have failed.",
        default: "false"),
      KeyRow(
        "max_failures", .int(minimum: 1), "How many items of a loop may fail before no further items start.",
        default: "no limit; 1 with `fail_fast`"),
      KeyRow("exclusive", .template, "A name that only one operation of the workspace can hold at a time."),
      KeyRow(
        "resources", .map(keyPattern: NamePattern.member, .int(minimum: 1)),
        "The amounts that it needs of the resources of the pipeline or the host."),
      KeyRow(
        "env", .map(keyPattern: NamePattern.variable, .template), "Environment variables of the process.",
        only: takers(of: .env)),
      KeyRow(
        "env_file", SettingFileKey.form,
        "Files with environment variables of the process, as `NAME=value` lines; `env` takes precedence.",
        only: takers(of: .envFile)),
      KeyRow(
        "directory", .template, "The working directory of the process.", default: "the directory of the pipeline file",
        only: takers(of: .directory)),
      KeyRow(
        "shell", .anyOf([.text, .list(.text, minimum: 1)]),
        "The shell and its arguments; the script is appended as the last argument.", default: "[/bin/sh, -e, -c]",
        only: takers(of: .shell)),
      KeyRow(
        "artifacts", .map(keyPattern: NamePattern.member, .template),
        "Files that are kept after the process succeeded: names with paths or patterns below its working directory.",
        default: "none", only: takers(of: .artifacts)),
      KeyRow("stdin", .template, "The standard input of the process.", only: takers(of: .stdin)),
      KeyRow(
        "stale_after", .duration, "A success with the same inputs is reused if it is younger than this.",
        default: "nothing is reused", only: takers(of: .staleAfter)),
      KeyRow(
        "stale_when", .formula, "A success with the same inputs is reused unless this is true of it.",
        default: "nothing is reused", only: takers(of: .staleWhen)),
      KeyRow(notAvailable: "rerun_on_change"),
      KeyRow(
        elsewhere: "controllers", "belongs at the top of the file: a controller starts runs of the whole pipeline",
        fix: "move it there, or put the operation into a separate pipeline"),
      KeyRow(
        elsewhere: "labels", "belongs at the top of the file: runs have labels, operations do not",
        fix: "move it there; an item of a loop has a 'label'"),
      KeyRow(
        elsewhere: "priority", "belongs at the top of the file: runs wait in queues, operations do not",
        fix: "the order in the file decides among operations that are ready"),
      KeyRow(
        elsewhere: "queue", "belongs at the top of the file: runs wait in queues, operations do not",
        fix: "limit how many operations run at once with 'resources'"),
    ]
  }
}

/// A key in the table of operations: an action or another key.
enum OperationWord: RawRepresentable, CaseIterable, Sendable {
  case action(ActionKey)
  case around(OperationKey)

  init?(rawValue: String) {
    if let key = ActionKey(rawValue: rawValue) {
      self = .action(key)
    } else if let key = OperationKey(rawValue: rawValue) {
      self = .around(key)
    } else {
      return nil
    }
  }

  var rawValue: String {
    switch self {
    case .action(let key): key.rawValue
    case .around(let key): key.rawValue
    }
  }

  static var allCases: [OperationWord] {
    ActionKey.allCases.map(OperationWord.action) + OperationKey.allCases.map(OperationWord.around)
  }

  /// The action, if the key is one.
  var action: ActionKey? {
    if case .action(let key) = self { key } else { nil }
  }
}

/// The keys of the long form of `retry`.
enum RetryKey: String, CaseIterable, Sendable {
  case limit, backoff, base, max, jitter, deadline, on, early

  /// The words allowed as entries of `on`.
  static let causeWords = ["timeout"] + ClusterEnd.allCases.map(\.rawValue)

  static let table = KeyTable<RetryKey>(
    "'retry'",
    [
      KeyRow("limit", .int(minimum: 0), "The maximum number of retries after the first attempt.", default: "3"),
      KeyRow(
        "backoff", .choice(OperationDefinition.Retry.Backoff.allCases.map(\.rawValue)), "How the delay grows.",
        default: "exponential"),
      KeyRow("base", .duration, "The first delay.", default: "1s"),
      KeyRow("max", .duration, "The longest delay.", default: "60s, or `base` where that is longer"),
      KeyRow(
        "jitter", .choice(OperationDefinition.Retry.Jitter.allCases.map(\.rawValue)),
        "How much of a delay is random.", default: "full; none with `backoff: constant`"),
      KeyRow("deadline", .duration, "The time limit of all attempts together.", default: "none"),
      KeyRow(
        "on", .list(.anyOf([.choice(causeWords), .oneKey(CauseKey.table.rows)]), minimum: 1),
        "The only failures that are retried.", default: "every failure"),
      KeyRow(
        "early", .anyOf([.formula, .list(.formula, minimum: 1)]),
        "Conditions that bring the next attempt forward when one becomes true.", default: "nothing"),
    ])
}

/// The keys of an entry of `retry.on`, of which exactly one is given.
enum CauseKey: String, CaseIterable, Sendable {
  case exit, signal, status, error

  static let table = KeyTable<CauseKey>(
    "an entry of 'on'",
    [
      KeyRow("exit", .anyOf([.int(minimum: 1), .list(.int(minimum: 1), minimum: 1)]), "Exit codes from 1 to 255."),
      KeyRow(
        "signal", .anyOf([.text, .list(.text, minimum: 1)]), "Signals that terminated the process, such as `SIGKILL`."),
      KeyRow(
        "status", .anyOf([.text, .list(.text, minimum: 1)]), "Statuses of responses, such as `503` or `5xx`."),
      KeyRow("error", .anyOf([.text, .list(.text, minimum: 1)]), "Error codes, such as `result-mismatch`."),
    ])
}

/// The keys of `repeat`.
enum RepeatKey: String, CaseIterable, Sendable {
  case until, every, limit

  static let table = KeyTable<RepeatKey>(
    "'repeat'",
    [
      KeyRow(
        "until", .expression, "Stops when this is true; the latest result is available under the operation's own name."),
      KeyRow("every", .duration, "The pause between two runs.", default: "0s"),
      KeyRow(
        "limit", .int(minimum: 1), "The maximum number of times the action runs, including the first.", default: "none"),
    ])
}

/// The keys of the long form of `for_each`.
enum ForEachKey: String, CaseIterable, Sendable {
  case `in`, `as`, label, concurrency
  case failFast = "fail_fast"
  case maxFailures = "max_failures"

  static let table = KeyTable<ForEachKey>(
    "'for_each'",
    [
      KeyRow("in", .anyOf([.expression, .list(.data, minimum: 0)]), "The list.", required: true),
      KeyRow(
        "as", .name(pattern: NamePattern.member), "The name of the item in expressions.", default: "item"),
      KeyRow(
        "label", .template, "The label of an item, shown after its number; it can also be set beside `for_each`.",
        default: "the item's value; for a mapping, its values"),
      KeyRow("concurrency", .int(minimum: 1), "How many items run at once.", default: "as many as the run allows"),
      KeyRow(elsewhere: "fail_fast", "goes beside 'for_each'", fix: "move it one level up"),
      KeyRow(elsewhere: "max_failures", "goes beside 'for_each'", fix: "move it one level up"),
    ])
}

/// The special keys of `matrix`; all others are lists.
enum MatrixKey: String, CaseIterable, Sendable {
  case exclude, include

  private static let entries = ValueForm.anyOf([
    .list(.anyOf([.expression, .map(keyPattern: NamePattern.member, .data)]), minimum: 0), .expression,
  ])

  static let table = KeyTable<MatrixKey>(
    "'matrix'",
    [
      KeyRow("exclude", entries, "Removes the combinations that contain all values of an entry.", default: "[]"),
      KeyRow(
        "include", entries,
        "After `exclude`, adds each entry to the combinations that it does not contradict; an entry that fits none becomes a combination.",
        default: "[]"),
    ])
}
