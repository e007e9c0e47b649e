/// What an operation does, by the key of the file that says so: the list of all kinds of actions. An operation has exactly one.
///
/// Whoever tells kinds apart by it switches over all of them, so that a kind that nobody reads, or whose defaults and result nobody knows, does not compile.
enum ActionKey: String, CaseIterable, Sendable {
  case run, command, http, notify, uses, value, wait, pipeline, approve

  /// Whether only handlers have it.
  var isOnlyForHandlers: Bool { self == .notify }
}

extension OperationKey {
  /// What the operation does, where the key says so.
  var action: ActionKey? {
    switch self {
    case .run: .run
    case .command: .command
    case .http: .http
    case .notify: .notify
    case .uses: .uses
    case .value: .value
    case .wait: .wait
    case .pipeline: .pipeline
    case .approve: .approve
    case .name, .description, .params, .needs, .inject, .requires, .result, .when, .retry, .repeat, .timeout, .grace,
      .allowFailure, .forEach, .matrix, .label, .failFast, .maxFailures, .exclusive, .resources, .env, .directory,
      .shell,
      .stdin, .staleAfter, .with,
      .runWhen, .otherwise, .waitAtMost, .staleWhen, .rerunOnChange, .controllers:
      nil
    }
  }
}
