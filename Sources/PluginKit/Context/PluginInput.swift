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
  /// From where relative paths in settings start, which is where the pipeline file is: an absolute path. Nil where the host does not
  /// tell; then they start from the working directory of the process. See ``path(_:)``.
  public var directory: String?
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
    directory = input["directory"]?.stringValue.flatMap { $0.hasPrefix("/") ? $0 : nil }
    run = input["run"]?.stringValue
    operation = input["operation"]?.stringValue
    attempt = input["attempt"]?.intValue.flatMap { Int(exactly: $0) } ?? 1
    lastRun = input["last_run"].flatMap { last in
      guard let state = last["state"]?.stringValue else { return nil }
      return LastRun(startedAt: last["started_at"]?.stringValue.flatMap { Timestamp(notation: $0) }, state: state)
    }
    all = input
  }

  /// The path of a setting: as it is where it is absolute or the host tells no directory, else from ``directory``.
  public func path(_ setting: String) -> String {
    guard let directory, !setting.hasPrefix("/") else { return setting }
    return directory.hasSuffix("/") ? directory + setting : "\(directory)/\(setting)"
  }
}
