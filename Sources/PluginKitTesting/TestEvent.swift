import PluginKit

/// An event that an instance reported to its host.
public enum TestEvent: Sendable, Hashable {
  /// It ended successfully; the value is an operation's result.
  case completed(JSONValue?)
  /// It failed.
  case failed(PluginProblem)
  /// Its progress.
  case progress(JSONValue)
  /// A controller's state.
  case state(JSONValue)
  /// A controller's error.
  case error(PluginProblem)
  /// A controller requested a run.
  case rerun(JSONValue)
  /// A controller reset its state.
  case reset
  /// A controller leaves instants out: an object in the contract's format.
  case leftOut(JSONValue)
  /// A specification's value, nil for unknown, and its reason.
  case changed(Bool?, reason: String)

  /// Whether a host keeps it until a run begins.
  var canWait: Bool {
    switch self {
    case .state, .rerun, .leftOut: true
    default: false
    }
  }

  /// Whether no event may follow.
  var isEnd: Bool {
    switch self {
    case .completed, .failed: true
    default: false
    }
  }
}

/// A line of a plugin's log.
public struct TestLogLine: Sendable, Hashable {
  /// The severity.
  public var level: PluginLog.Level
  /// The message.
  public var message: String
  /// The fields for programs; nil for none.
  public var fields: JSONValue?

  /// Creates a line.
  public init(level: PluginLog.Level, message: String, fields: JSONValue? = nil) {
    self.level = level
    self.message = message
    self.fields = fields
  }
}
