import Values

/// The progress of a plugin's operation, as the plugin reports it.
public struct PluginProgress: Sendable, Hashable {
  /// From 0 to 1; nil if the plugin does not report it.
  public var fraction: Double?
  /// What it is doing, in one line.
  public var message: String?

  /// Creates progress, in which at least one of them is not nil.
  public init(fraction: Double? = nil, message: String? = nil) {
    self.fraction = fraction
    self.message = message
  }

  /// The progress in one line: `25% of the pages`.
  public var text: String {
    let percent = fraction.map { "\(Int($0 * 100))%" }
    return [percent, message].compactMap { $0 }.joined(separator: " ")
  }
}

/// An event in a run, for its presentation. The engine does not know its observers.
public enum RunEvent: Sendable {
  /// A run changed its state; the first event of a run is `queued` or `running`. Nested runs carry their `parent`.
  case run(RunRecord)
  /// An operation (or one item of its loop) changed its state.
  case operation(OperationRecord)
  /// An attempt began (`running`), ended, or chose the delay before the next one.
  case attempt(AttemptRecord)
  /// The process of an attempt has begun, and writes to these files of the workspace. The record of the attempt refers to them at its end if they are
  /// not empty.
  case output(RunID, ordinal: Int, standardOutput: String, standardError: String)
  /// The progress of an attempt of a plugin's operation, at most ten times a second.
  case progress(RunID, ordinal: Int, PluginProgress)
  /// A person is asked.
  case approval(Approval)
  /// Something worth knowing that is not a state, such as the termination of leftover processes.
  case notice(RunID, String)
}

/// Which events of a run an observer receives.
public enum RunEventRange: Sendable {
  /// All events.
  case all
  /// Only ends, questions to people and notices, but no progress. Creating an event costs the engine about a microsecond, and most are progress.
  case ends
}
