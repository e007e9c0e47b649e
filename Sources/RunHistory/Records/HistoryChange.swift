import Workspace

/// One change to record. Changes become durable in the order in which they are appended.
public enum HistoryChange: Sendable {
  /// A run is created. `definition` is the text whose hash the record contains; it is stored once for each hash. `nested` contains the texts of the
  /// pipelines that it runs, by the absolute paths of their files, and of other files that are needed to resume it; `operations` contains what is
  /// decided about its operations before any begins. The run is never durable without these.
  case runCreated(
    RunRecord, definition: String, nested: [String: String] = [:], operations: [OperationRecord] = [])
  /// A queued run begins: what it reuses, and what is decided about its operations before any begins.
  case queuedRunBegan(RunRecord, operations: [OperationRecord])
  /// A run that has not begun is doing something that takes longer than a moment. In force until it begins or ends.
  case runPrepares(RunID, reason: String)
  /// The run's operations may begin.
  case runStarted(RunID, at: RecordTime)
  /// The run has reached a final state. `canceller` is the person or process that cancelled it.
  case runEnded(
    RunID, state: RunState, reason: String?, canceller: RunCanceller? = nil, counts: RunCounts, at: RecordTime)
  /// The complete latest state of an operation instance, which replaces its earlier record.
  case operation(OperationRecord)
  /// The complete latest state of an attempt, which replaces its earlier record.
  case attempt(AttemptRecord)
  /// An operation instance and its latest attempt together, so that neither is durable without the other.
  case operationWithAttempt(OperationRecord, AttemptRecord)
  /// An operation of the run has released what it held of resources that all processes on the workspace share.
  case resourcesReleased(RunID, holds: [Int64])
  /// A person is asked. A question that has been answered keeps its answer.
  case approvalRequested(Approval)
}
