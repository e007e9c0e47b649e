/// Why a run ended as it did, where its state does not say it all, or what it does before it begins. Its ``text`` is the column `reason`, which is public and written nowhere else.
package enum RunReason: Sendable, Hashable {
  /// An operation failed that may not, by its name.
  case operationFailed(String)
  /// An operation was kept from running, with the code of the reason of that.
  case operationNotRun(String, code: String)
  /// All operations succeeded, and a handler failed.
  case handlerFailed(String)
  /// The time of the run was up.
  case timeout
  /// The history could not be written.
  case historyFailed
  /// The engine itself could not go on.
  case engineFailed
  /// The run was cancelled before it began.
  case cancelledBefore
  /// It had not begun within `start_within`.
  case tooLate
  /// Another run of the pipeline was going on, beside which this one was not to run.
  case overlap(RunID)
  /// The run, which has not begun, reads one of its secrets.
  case readsSecret(String)
  /// The run, which has not begun, lacks a descriptor, a thread or memory: what happened.
  case shortage(String)
  /// The run could not begin: the code, or the key of the file, and what happened, without secrets.
  case notBegun(String, why: String)

  /// As it is recorded: a code, followed by a colon and what it is about where there is such.
  package var text: String {
    switch self {
    case .operationFailed(let name): "operation-failed: \(name)"
    case .operationNotRun(let name, let code): "\(code): \(name)"
    case .handlerFailed(let name): "handler-failed: \(name)"
    case .timeout: "timeout"
    case .historyFailed: "history-failed"
    case .engineFailed: "engine-failed"
    case .cancelledBefore: "cancelled"
    case .tooLate: "too-late"
    case .overlap(let other): "overlap: run \(other.text) is going on"
    case .readsSecret(let name): "\(Self.secret)\(name)"
    case .shortage(let why): "\(Self.lack)\(why)"
    case .notBegun(let code, let why): "\(code): \(why)"
    }
  }

  private static let secret = "secret: "
  private static let lack = "shortage: "

  /// What a run does before it begins, in what is recorded of it; nil where it waits for something else.
  static func preparation(in text: String) -> RunPreparation? {
    if text.hasPrefix(secret) { return .readsSecret(String(text.dropFirst(secret.count))) }
    return text.hasPrefix(lack) ? .lacks(String(text.dropFirst(lack.count))) : nil
  }

  /// The run that another one gave way to, in what is recorded of that one; nil where it ended for something else.
  static func overlap(in text: String) -> RunID? {
    let words = text.split(separator: " ")
    guard words.count > 2, words.prefix(2) == ["overlap:", "run"] else { return nil }
    return RunID(String(words[2]))
  }
}

/// What a run that a host has taken does before it begins.
package enum RunPreparation: Sendable, Hashable {
  /// It reads this secret.
  case readsSecret(String)
  /// It waits until its host has a descriptor, a thread or memory for that again: what happened.
  case lacks(String)
}

extension RunRecord {
  /// What it does before it begins, where that takes longer than a moment.
  package var preparation: RunPreparation? { state == .queued ? reason.flatMap(RunReason.preparation) : nil }
}
