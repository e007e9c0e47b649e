import PluginKit

/// What an instance told its host.
public enum TestEvent: Sendable, Hashable {
  /// It ended well; the value is an operation's result.
  case completed(JSONValue?)
  /// It ended badly.
  case failed(PluginProblem)
  /// How far it is.
  case progress(JSONValue)
  /// A controller's state.
  case state(JSONValue)
  /// A controller's error.
  case error(PluginProblem)
  /// A controller asked for a run.
  case rerun(JSONValue)
  /// A controller forgot its state.
  case reset
  /// A controller leaves instants out: an object as the contract has it.
  case leftOut(JSONValue)
  /// A specification's value, nil for unknown, and why it has it.
  case changed(Bool?, reason: String)

  /// Whether a host keeps it until a run begins.
  var canWait: Bool {
    switch self {
    case .state, .rerun, .leftOut: true
    default: false
    }
  }

  /// Whether nothing may follow.
  var isEnd: Bool {
    switch self {
    case .completed, .failed: true
    default: false
    }
  }
}

/// A line of a plugin's log.
public struct TestLogLine: Sendable, Hashable {
  /// How important it is.
  public var level: PluginLog.Level
  /// Its text.
  public var message: String
  /// What it says to programs; nil for nothing.
  public var fields: JSONValue?

  /// A line.
  public init(level: PluginLog.Level, message: String, fields: JSONValue? = nil) {
    self.level = level
    self.message = message
    self.fields = fields
  }
}
