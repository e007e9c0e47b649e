import RunHistory

/// The process has no descriptor, thread or memory for an operation, or for resuming a run, at present. That waits until there is one again; others continue meanwhile.
public struct ResourceShortage: Sendable, Hashable {
  /// The run.
  public var run: RunID
  /// The name of its pipeline.
  public var pipeline: String
  /// The name of the operation; nil where the whole run waits.
  public var operation: String?
  /// What could not be done.
  public var error: EngineError
  /// How many other attempts wait as well.
  public var others = 0
}
