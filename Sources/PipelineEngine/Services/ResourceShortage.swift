import RunHistory

/// The process has no descriptor, thread or memory for an operation at present. The operation waits, and goes on when there is one again; others go on meanwhile.
public struct ResourceShortage: Sendable, Hashable {
  /// The run.
  public var run: RunID
  /// The name of its pipeline.
  public var pipeline: String
  /// The name of the operation.
  public var operation: String
  /// What could not be done.
  public var error: EngineError
}
