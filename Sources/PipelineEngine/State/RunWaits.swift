import RunHistory
import Workspace

/// What a run and its operations wait for that somebody else has to bring about: answers, conditions, their turn. *On the loop.*
final class RunWaits {
  /// Those for the answer of a person, by operation.
  var approvals: [Int: LoopWaiter] = [:]
  /// Those for conditions, by operation.
  var signals: [Int: ConditionSignal] = [:]
  /// What ends those for the next attempt, by operation, where somebody asks for that.
  var retries: [Int: @Sendable () -> Void] = [:]
  /// Whom requests have failed to reach or to be answered by, by operation: what the wait for the next attempt is about.
  var httpFailures: [Int: HTTPLatestFailure] = [:]
  /// That of the run itself, until the pipeline's `overlap` lets it begin.
  var turn: Task<ExclusiveLocks.Hold, any Error>?
  /// That of the run itself, until the history can be written again.
  var writing: Task<Bool, Never>?
  /// Whether the run waits for the descriptors or the memory to look for processes that its former host left.
  var isLookingForProcesses = false
  /// Whether what other processes ask of the run is listened for.
  var isListening = false

  /// Lets all that wait for conditions look again.
  func ringAll() {
    for signal in signals.values { signal.ring() }
  }
}
