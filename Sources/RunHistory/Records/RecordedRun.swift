import Workspace

/// Everything that is recorded of a run, for going on with it.
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
  /// What somebody has asked for who wanted the run to end, and which did not come to that; nil where nobody has.
  package var cancellation: PendingRequest?
  /// Who has the turn of its pipeline, as long as the run is queued for it.
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
