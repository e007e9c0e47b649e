import Workspace

/// One thing to record. Changes become durable in the order in which they are appended.
public enum HistoryChange: Sendable {
  /// A run exists. `definition` is the text whose hash the record names; it is stored once for each hash. `nested` has the texts of the pipelines
  /// that it runs, by the absolute paths of their files, what else of its files is needed for going on, and `operations` what is decided of its operations before any begins. No run is durable
  /// without these.
  case runCreated(
    RunRecord, definition: String, nested: [String: String] = [:], operations: [OperationRecord] = [])
  /// A run that was queued begins: what it takes over, and what is decided of its operations before any begins.
  case queuedRunBegan(RunRecord, operations: [OperationRecord])
  /// A run that has not begun does something first that takes longer than a moment. In force until it begins or ends.
  case runPrepares(RunID, reason: String)
  /// The run's operations may begin.
  case runStarted(RunID, at: RecordTime)
  /// The run has come to a final state. `canceller` is who or what cancelled it.
  case runEnded(
    RunID, state: RunState, reason: String?, canceller: RunCanceller? = nil, counts: RunCounts, at: RecordTime)
  /// The latest state of an operation instance, whole. Takes the place of what was recorded for it before.
  case operation(OperationRecord)
  /// The latest state of an attempt, whole. Takes the place of what was recorded for it before.
  case attempt(AttemptRecord)
  /// An operation instance and its latest attempt together, so that neither is durable without the other.
  case operationWithAttempt(OperationRecord, AttemptRecord)
  /// What an operation of the run held of resources that all processes on the workspace share is free.
  case resourcesReleased(RunID, holds: [Int64])
  /// A person is asked. A question that has been answered keeps its answer.
  case approvalRequested(Approval)
}
