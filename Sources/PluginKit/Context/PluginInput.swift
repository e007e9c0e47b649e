/// What the host says of the occasion: which pipeline, which run.
public struct PluginInput: Sendable, Hashable {
  /// The run before, as a controller sees it when it starts.
  public struct LastRun: Sendable, Hashable {
    /// When it began; nil where the host does not tell.
    public var startedAt: Timestamp?
    /// How it ended or where it is, such as `succeeded`.
    public var state: String
  }

  /// The pipeline's name; empty outside of one.
  public var pipeline: String
  /// The run's id; nil for controllers and specifications.
  public var run: String?
  /// The operation's name; nil for controllers and specifications.
  public var operation: String?
  /// Which attempt of the operation it is, from 1.
  public var attempt: Int
  /// The run before; nil where there was none.
  public var lastRun: LastRun?
  /// All that the host has passed, with what a later version of the contract adds.
  public var all: JSONValue

  /// Reads what `start` was given. What is not there, or not as expected, is as if nothing were said.
  public init(_ input: JSONValue) {
    pipeline = input["pipeline"]?.stringValue ?? ""
    run = input["run"]?.stringValue
    operation = input["operation"]?.stringValue
    attempt = input["attempt"]?.intValue.flatMap { Int(exactly: $0) } ?? 1
    lastRun = input["last_run"].flatMap { last in
      guard let state = last["state"]?.stringValue else { return nil }
      return LastRun(startedAt: last["started_at"]?.stringValue.flatMap { Timestamp(notation: $0) }, state: state)
    }
    all = input
  }
}
