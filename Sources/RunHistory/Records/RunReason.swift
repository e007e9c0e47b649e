/// Why a run ended as it did, if its state is not sufficient, or what it does before it begins. Its ``text`` is the column `reason`, which is public
/// and written nowhere else.
package enum RunReason: Sendable, Hashable {
  /// An operation, given by name, failed, and its failure is not allowed.
  case operationFailed(String)
  /// An operation was prevented from running, with the code of the reason.
  case operationNotRun(String, code: String)
  /// All operations succeeded, but a handler failed.
  case handlerFailed(String)
  /// The run timed out.
  case timeout
  /// The history could not be written.
  case historyFailed
  /// The engine itself could not continue.
  case engineFailed
  /// The run was cancelled before it began.
  case cancelledBefore
  /// It had not begun within `start_within`.
  case tooLate
  /// Another run of the pipeline was running, and `overlap` did not allow both.
  case overlap(RunID)
  /// The run, which has not begun, is reading one of its secrets.
  case readsSecret(String)
  /// The run, which has not begun, lacks a descriptor, a thread or memory: what happened.
  case shortage(String)
  /// The run could not begin: the code, or the key in the file, and what happened, without secrets.
  case notBegun(String, why: String)

  /// The recorded text: a code, followed by a colon and what it refers to, if anything.
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
    case .overlap(let other): "overlap: run \(other.text) is running"
    case .readsSecret(let name): "\(Self.secret)\(name)"
    case .shortage(let why): "\(Self.lack)\(why)"
    case .notBegun(let code, let why): "\(code): \(why)"
    }
  }

  private static let secret = "secret: "
  private static let lack = "shortage: "

  /// Returns what a run does before it begins, from its recorded reason, or nil if it waits for something else.
  static func preparation(in text: String) -> RunPreparation? {
    if text.hasPrefix(secret) { return .readsSecret(String(text.dropFirst(secret.count))) }
    return text.hasPrefix(lack) ? .lacks(String(text.dropFirst(lack.count))) : nil
  }

  /// Returns the run that another one gave way to, from the recorded reason of that one, or nil if it ended for another reason.
  static func overlap(in text: String) -> RunID? {
    let words = text.split(separator: " ")
    guard words.count > 2, words.prefix(2) == ["overlap:", "run"] else { return nil }
    return RunID(String(words[2]))
  }
}

/// What a run that a host has claimed does before it begins.
package enum RunPreparation: Sendable, Hashable {
  /// It is reading this secret.
  case readsSecret(String)
  /// It waits until its host has a descriptor, a thread or memory again: what happened.
  case lacks(String)
}

extension RunRecord {
  /// What it does before it begins, if that takes longer than a moment.
  package var preparation: RunPreparation? { state == .queued ? reason.flatMap(RunReason.preparation) : nil }
}
