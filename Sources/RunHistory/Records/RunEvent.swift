import Values

/// What a plugin tells of how far its operation is.
public struct PluginProgress: Sendable, Hashable {
  /// From 0 to 1; nil where the plugin does not say.
  public var fraction: Double?
  /// What it is at, in one line.
  public var message: String?

  /// Progress; at least one of them says something.
  public init(fraction: Double? = nil, message: String? = nil) {
    self.fraction = fraction
    self.message = message
  }

  /// In one line: `25% of the pages`.
  public var text: String {
    let percent = fraction.map { "\(Int($0 * 100))%" }
    return [percent, message].compactMap { $0 }.joined(separator: " ")
  }
}

/// Something that happened in a run, for whoever presents it. The engine does not know who watches.
public enum RunEvent: Sendable {
  /// A run changed its state; the first one of a run says `queued` or `running`. Nested runs carry their `parent`.
  case run(RunRecord)
  /// An operation (or one item of its loop) changed its state.
  case operation(OperationRecord)
  /// An attempt began (`running`), ended, or chose the delay before the next one.
  case attempt(AttemptRecord)
  /// The process of an attempt has begun, and writes to these files of the workspace, whose names the record of the attempt has at its end if anything is
  /// in them.
  case output(RunID, ordinal: Int, standardOutput: String, standardError: String)
  /// How far an attempt of a plugin's operation is, at most ten times a second.
  case progress(RunID, ordinal: Int, PluginProgress)
  /// A person is asked.
  case approval(Approval)
  /// Something worth knowing that is no state, such as a group of left-over processes that was ended.
  case notice(RunID, String)
}

/// Which events of a run somebody wants to hear.
public enum RunEventRange: Sendable {
  /// All of them.
  case all
  /// Not that something goes on: only how it ends, and what people are asked and told. An event costs the engine about a microsecond to make, and most are
  /// of this kind.
  case ends
}
