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

  /// Whether an operation may change from this state to `next` within one host: the transition table, with a row for each state.
  ///
  /// A state followed by itself is recorded again, with another reason or for another attempt. In addition to the table, the history resets
  /// unfinished operations to `pending` when a run is interrupted, and a host that resumes it keeps the final states.
  package func mayBecome(_ next: OperationState) -> Bool {
    switch self {
    case .pending:
      switch next {
      // A retry that was waiting when its host ended continues to wait in the next one.
      case .waiting, .running, .retrying, .failed, .cancelled, .skipped, .reused: true
      case .pending, .succeeded: false
      }
    case .waiting:
      switch next {
      // A wait may be the action itself, which then succeeds.
      case .waiting, .running, .retrying, .succeeded, .failed, .cancelled, .skipped: true
      case .pending, .reused: false
      }
    case .running:
      switch next {
      case .waiting, .running, .retrying, .succeeded, .failed, .cancelled: true
      case .pending, .skipped, .reused: false
      }
    case .retrying:
      switch next {
      case .waiting, .running, .retrying, .failed, .cancelled: true
      case .pending, .succeeded, .skipped, .reused: false
      }
    case .succeeded, .failed, .cancelled, .skipped, .reused: false
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

  /// Whether a run may change from this state to `next`: the transition table, with a row for each state.
  package func mayBecome(_ next: RunState) -> Bool {
    switch self {
    case .queued:
      switch next {
      // Whatever prevents a run from beginning ends it: an unreadable secret, `overlap`, a cancellation.
      case .running, .failed, .cancelled, .interrupted: true
      case .queued, .succeeded: false
      }
    case .running:
      switch next {
      case .succeeded, .failed, .cancelled, .interrupted: true
      case .queued, .running: false
      }
    case .interrupted:
      switch next {
      case .running: true
      case .queued, .succeeded, .failed, .cancelled, .interrupted: false
      }
    case .succeeded, .failed, .cancelled: false
    }
  }
}
