import RunHistory
import Workspace

/// What a run and its operations wait for that others must bring about: answers, conditions, `overlap`. *On the event loop.*
final class RunWaits {
  /// The waits for a person's answer, by operation.
  var approvals: [Int: LoopWaiter] = [:]
  /// The waits for conditions, by operation.
  var signals: [Int: ConditionSignal] = [:]
  /// Closures that end the waits for the next attempt early on request, by operation.
  var retries: [Int: @Sendable () -> Void] = [:]
  /// The endpoints that requests failed to reach or to get an answer from, by operation: the reason for the wait for the next attempt.
  var httpFailures: [Int: HTTPLatestFailure] = [:]
  /// The wait of the run itself until the pipeline's `overlap` lets it begin.
  var turn: Task<ExclusiveLocks.Hold, any Error>?
  /// The wait of the run itself until the history can be written again.
  var writing: Task<Bool, Never>?
  /// Whether the run waits for descriptors or memory to scan for processes that its former host left behind.
  var isLookingForProcesses = false
  /// Whether the run listens for requests of other processes.
  var isListening = false

  /// Wakes everything that waits for conditions, to evaluate them again.
  func ringAll() {
    for signal in signals.values { signal.ring() }
  }
}
