import Workspace

/// Everything recorded about a run, for resuming it.
public struct RecordedRun: Sendable {
  /// The run.
  public var run: RunRecord
  /// The text of its definition.
  public var definition: String
  /// The texts of the pipelines that it runs, by the absolute paths of their files.
  public var nestedDefinitions: [String: String] = [:]
  /// Its operation instances, by ordinal.
  public var operations: [OperationRecord]
  /// Its attempts, by ordinal and number.
  public var attempts: [AttemptRecord]
  /// Its approvals, answered or not.
  public var approvals: [Approval]
  /// A request to end the run that was not completed; nil if there is none.
  package var cancellation: PendingRequest?
  /// The lease of its pipeline's `overlap` lock, while the run is queued for it.
  package var turn: Lease?

  /// Creates a recorded run.
  public init(
    run: RunRecord, definition: String, operations: [OperationRecord], attempts: [AttemptRecord], approvals: [Approval]
  ) {
    self.run = run
    self.definition = definition
    self.operations = operations
    self.attempts = attempts
    self.approvals = approvals
  }
}
