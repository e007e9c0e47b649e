/// The host's information for an instance, such as its pipeline and run.
public struct PluginInput: Sendable, Hashable {
  /// The previous run, as a controller sees it when it starts.
  public struct LastRun: Sendable, Hashable {
    /// When it began; nil if the host does not report it.
    public var startedAt: Timestamp?
    /// How it ended, or its present state, such as `succeeded`.
    public var state: String
  }

  /// The pipeline's name; empty outside a pipeline.
  public var pipeline: String
  /// The absolute path of the directory that relative paths in settings start from, which is that of the pipeline file. Nil if the host does not
  /// report it; then they start from the working directory of the process. See ``path(_:)``.
  public var directory: String?
  /// The run's id; nil for controllers and specifications.
  public var run: String?
  /// The operation's name; nil for controllers and specifications.
  public var operation: String?
  /// The number of the operation's attempt, from 1.
  public var attempt: Int
  /// The previous run; nil if there is none.
  public var lastRun: LastRun?
  /// The whole input, including members added by later versions of the contract.
  public var all: JSONValue

  /// Reads the input of `start`. Missing and unexpected members are ignored.
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

  /// Returns the path of a setting: unchanged if it is absolute or the host reports no directory, otherwise relative to ``directory``.
  public func path(_ setting: String) -> String {
    guard let directory, !setting.hasPrefix("/") else { return setting }
    return directory.hasSuffix("/") ? directory + setting : "\(directory)/\(setting)"
  }
}
