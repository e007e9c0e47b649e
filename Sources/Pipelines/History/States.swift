/// The state of one operation in a run.
public enum OperationState: String, Sendable, Hashable, CaseIterable, Codable {
  case pending, waiting, running, retrying, succeeded, failed, cancelled, skipped, reused

  /// Whether nothing more will happen to the operation in this run.
  public var isFinal: Bool {
    switch self {
    case .pending, .waiting, .running, .retrying: false
    case .succeeded, .failed, .cancelled, .skipped, .reused: true
    }
  }
}

/// The state of one run.
public enum RunState: String, Sendable, Hashable, CaseIterable, Codable {
  case queued, running, succeeded, failed, cancelled, interrupted

  /// Whether the run has ended, by itself or with its host.
  public var isFinal: Bool {
    switch self {
    case .queued, .running: false
    case .succeeded, .failed, .cancelled, .interrupted: true
    }
  }
}
