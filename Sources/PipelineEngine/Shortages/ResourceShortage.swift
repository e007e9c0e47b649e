import RunHistory

/// The process currently lacks a descriptor, a thread or memory for an operation, or for resuming a run. The operation or run waits until it is
/// available; others continue in the meantime.
public struct ResourceShortage: Sendable, Hashable {
  /// The run.
  public var run: RunID
  /// The name of its pipeline.
  public var pipeline: String
  /// The name of the operation; nil if the whole run waits.
  public var operation: String?
  /// What could not be done.
  public var error: EngineError
  /// How many other attempts are waiting as well.
  public var others = 0
}
