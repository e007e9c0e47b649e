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
  case directory, shell, stdin, artifacts, executor
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
        "The name by which expressions and `needs` refer to it; unique, without regard to case.",
        required: true),
      KeyRow("description", .text, "A note for readers of the file."),
      KeyRow(
        "extends", .name(pattern: NamePattern.member),
        "The template whose keys the operation takes; its own keys take precedence, and mappings are merged key by key."
      ),
    ]
  }

  private static var rest: [KeyRow] {
    [
      KeyRow(
        "params", .map(keyPattern: NamePattern.member, .data), "Values for the params of the nested pipeline.",
        only: takers(of: .params)),
      KeyRow(
        "needs", .anyOf([.text, .list(.text, minimum: 0)]), "Operations that must end before this one starts."),
      KeyRow(
        "inject", .anyOf([.template, .map(keyPattern: NamePattern.variable, .template)]),
        "The input of the operation: one operation's name or expression, passed on standard input, or named values, passed as environment variables. A plugin receives one value as it is, and named values as an object.",
        only: takers(of: .inject)),
      KeyRow("requires", .type, "The type that the injected value must have.", only: takers(of: .requires)),
      KeyRow(
        "result", .type, "The type of the result.", default: "text; for an object or a list, JSON",
        only: takers(of: .result)),
      KeyRow(
        "run_when", .formula,
        "Delays the start of the operation until the condition is true; `otherwise` changes what happens meanwhile.",
        default: "always"),
      KeyRow(
        "otherwise", .choice(OperationDefinition.Gate.Otherwise.allCases.map(\.rawValue)),
        "What happens if `run_when` is not true in time.",
        default: "`wait`; after `wait_at_most`, `fail`"),
      KeyRow(
        "wait_at_most", .duration, "The longest wait for `run_when`.",
        default: "no limit; with `otherwise: skip` or `fail`, no wait"),
      KeyRow(
        "when", .expression, "Runs the operation only if the expression is true; otherwise skips it.",
        default: "`success()`"),
      KeyRow(
        "retry", .anyOf([.int(minimum: 0), .keys(RetryKey.table.rows)]),
        "How often, and with which delays, failures are retried.",
        default: "`0`; for `notify`, and for `http` with an idempotent method, `3`",
        only: takers(of: .retry)),
      KeyRow(
        "repeat", .keys(RepeatKey.table.rows),
        "Runs the action again after it succeeds; `previous` is the result of the previous round.",
        only: takers(of: .repeat)),
      KeyRow("timeout", .duration, "The longest duration of one attempt.", default: "none"),
      KeyRow(
        "grace", .duration, "The time between SIGTERM and SIGKILL; for a plugin, the time that it has to end.",
        default: "10s",
        only: takers(of: .grace)),
      KeyRow("allow_failure", .bool, "Whether the run can succeed even if this operation fails.", default: "false"),
      KeyRow(
        "for_each", .anyOf([.expression, .list(.data, minimum: 0), .keys(ForEachKey.table.rows)]),
        "Runs the action once for each item of a list; the result is the list of their results."),
      KeyRow(
        "matrix",
        .keysAndMap(
          MatrixKey.table.rows, keyPattern: NamePattern.member, except: NamePattern.misspeltMatrixKey,
          .anyOf([.list(.data, minimum: 0), .expression])),
        "Runs the action once for each combination of values; the last name varies fastest."),
      KeyRow(
        "label", .template, "The name that is shown after the number of an item.",
        default: "the value of the item; for a mapping, its values"),
      KeyRow(
        "fail_fast", .bool,
        "Whether the loop also cancels running items once `max_failures` items have failed.",
        default: "false"),
      KeyRow(
        "max_failures", .int(minimum: 1), "The number of failed items after which no further item begins.",
        default: "no limit; with `fail_fast`, 1"),
      KeyRow("exclusive", .template, "A name that only one operation in the workspace can hold at a time."),
      KeyRow(
        "resources", .map(keyPattern: NamePattern.member, .int(minimum: 1)),
        "The amount of each declared resource that an attempt takes."),
      KeyRow(
        "env", .map(keyPattern: NamePattern.variable, .template), "Environment variables for the process.",
        only: takers(of: .env)),
      KeyRow(
        "env_file", SettingFileKey.form,
        "Files with environment variables for the process, as `NAME=value` lines; `env` takes precedence.",
        only: takers(of: .envFile)),
      KeyRow(
        "directory", .template, "The directory in which the process starts.",
        default: "the directory of the pipeline file",
        only: takers(of: .directory)),
      KeyRow(
        "shell", .anyOf([.text, .list(.text, minimum: 1)]),
        "The shell and its arguments; the script is added as the last argument.", default: "`[/bin/sh, -e, -c]`",
        only: takers(of: .shell)),
      KeyRow(
        "artifacts", .map(keyPattern: NamePattern.member, .template),
        "Files to keep after the process succeeds: names with paths or patterns, relative to the directory in which it starts.",
        default: "none", only: takers(of: .artifacts)),
      KeyRow(
        "executor", ExecutorKey.form, "Where the process runs, and what it needs there; merged key by key.",
        default: "`local`", only: takers(of: .executor)),
      KeyRow("stdin", .template, "The text that the process reads on standard input.", only: takers(of: .stdin)),
      KeyRow(
        "stale_after", .duration, "Reuses a success with the same inputs that is younger than this.",
        default: "nothing is reused", only: takers(of: .staleAfter)),
      KeyRow(
        "stale_when", .formula, "Reuses a success with the same inputs unless the condition is true for it.",
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
      KeyRow("limit", .int(minimum: 0), "The number of retries after the first attempt.", default: "3"),
      KeyRow(
        "backoff", .choice(OperationDefinition.Retry.Backoff.allCases.map(\.rawValue)),
        "How the delay grows from retry to retry.",
        default: "exponential"),
      KeyRow("base", .duration, "The delay before the first retry.", default: "1s"),
      KeyRow("max", .duration, "The longest delay.", default: "`60s`, or `base` if that is longer"),
      KeyRow(
        "jitter", .choice(OperationDefinition.Retry.Jitter.allCases.map(\.rawValue)),
        "How much of each delay is random.", default: "`full`; with `backoff: constant`, `none`"),
      KeyRow("deadline", .duration, "The longest time for all attempts and delays together.", default: "none"),
      KeyRow(
        "on", .list(.anyOf([.choice(causeWords), .oneKey(CauseKey.table.rows)]), minimum: 1),
        "The failures that are retried; all others are final.", default: "every failure"),
      KeyRow(
        "early", .anyOf([.formula, .list(.formula, minimum: 1)]),
        "Conditions that start the next attempt at once when they turn true.", default: "nothing"),
    ])
}

/// The keys of an entry of `retry.on`, of which exactly one is given.
enum CauseKey: String, CaseIterable, Sendable {
  case exit, signal, status, error

  static let table = KeyTable<CauseKey>(
    "an entry of 'on'",
    [
      KeyRow("exit", .anyOf([.int(minimum: 1), .list(.int(minimum: 1), minimum: 1)]), "Exit codes, from 1 to 255."),
      KeyRow(
        "signal", .anyOf([.text, .list(.text, minimum: 1)]), "Signals that terminated the process, such as `SIGKILL`."),
      KeyRow(
        "status", .anyOf([.text, .list(.text, minimum: 1)]), "Statuses of HTTP responses, such as `503` or `5xx`."),
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
        "until", .expression, "Ends the repetition when true; reads the latest result under the operation's own name."),
      KeyRow("every", .duration, "The pause between two rounds.", default: "0s"),
      KeyRow("limit", .int(minimum: 1), "The largest number of rounds, including the first.", default: "none"),
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
      KeyRow("in", .anyOf([.expression, .list(.data, minimum: 0)]), "The list of items.", required: true),
      KeyRow(
        "as", .name(pattern: NamePattern.member), "The name of the item in expressions.", default: "item"),
      KeyRow(
        "label", .template,
        "The name that is shown after the number of an item; `label` can also be written beside `for_each`.",
        default: "the value of the item; for a mapping, its values"),
      KeyRow(
        "concurrency", .int(minimum: 1), "The largest number of items that run at once.",
        default: "the `concurrency` of the run"),
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
      KeyRow("exclude", entries, "Removes the combinations that have all the values of an entry.", default: "`[]`"),
      KeyRow(
        "include", entries,
        "Adds the values of each entry to the combinations that it does not contradict, after `exclude`; an entry that fits none becomes a combination of its own.",
        default: "`[]`"),
    ])
}
