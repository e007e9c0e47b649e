import RunHistory

/// The state of one operation, handler or item, with the data that only that state has: a success has a result; an operation that failed, was
/// cancelled or will be retried has a failure.
///
/// The history and the transition table know only its ``state``. A waiting retry keeps the failure of its attempt, even while it waits for a slot.
enum InstanceStatus {
  case pending
  /// Waits for something; `after` is the failure of its latest attempt.
  indirect case waiting(OperationReason, after: OperationFailure? = nil)
  case running(OperationReason? = nil)
  /// Waits for its next attempt.
  indirect case retrying(OperationReason.Retry, after: OperationFailure)
  case succeeded(SettledResult, OperationReason? = nil)
  /// Reuses what succeeded in the run `from`.
  indirect case reused(SettledResult, from: RunID?, OperationReason)
  /// Has failed. A loop whose failure is allowed keeps the results of the items that succeeded.
  indirect case failed(OperationFailure, notRetried: OperationReason.NotRetried? = nil, partial: SettledResult? = nil)
  indirect case cancelled(OperationReason, OperationFailure? = nil)
  indirect case skipped(OperationReason)

  /// The state as it is recorded.
  var state: RunHistory.OperationState {
    switch self {
    case .pending: .pending
    case .waiting: .waiting
    case .running: .running
    case .retrying: .retrying
    case .succeeded: .succeeded
    case .reused: .reused
    case .failed: .failed
    case .cancelled: .cancelled
    case .skipped: .skipped
    }
  }

  /// The reason for this state.
  var reason: OperationReason? {
    switch self {
    case .pending: nil
    case .waiting(let reason, _), .reused(_, _, let reason), .cancelled(let reason, _), .skipped(let reason): reason
    case .running(let reason), .succeeded(_, let reason): reason
    case .retrying(let retry, _): .retry(retry)
    case .failed(let failure, let notRetried, _): .failed(code: failure.code, notRetried: notRetried)
    }
  }

  /// The failure that it ended with, or that precedes its retry.
  var failure: OperationFailure? {
    switch self {
    case .waiting(_, let failure), .cancelled(_, let failure): failure
    case .retrying(_, let failure), .failed(let failure, _, _): failure
    case .pending, .running, .succeeded, .reused, .skipped: nil
    }
  }

  /// Its result; nil if it has none that counts.
  var settled: SettledResult? {
    switch self {
    case .succeeded(let settled, _), .reused(let settled, _, _): settled
    case .failed(_, _, let partial): partial
    case .pending, .waiting, .running, .retrying, .cancelled, .skipped: nil
    }
  }

  /// The run whose success it reuses.
  var source: RunID? {
    if case .reused(_, let source, _) = self { source } else { nil }
  }

  /// Returns this status with the failure of the previous attempt if it waits between two attempts.
  @inline(never)
  func keeping(_ failure: OperationFailure?) -> InstanceStatus {
    guard let failure else { return self }
    switch self {
    case .waiting(let reason, let own): return .waiting(reason, after: own ?? failure)
    case .pending, .running, .retrying, .succeeded, .reused, .failed, .cancelled, .skipped: return self
    }
  }

  /// Returns this status with secrets masked in the message of its failure.
  // Neither function is inlined, because otherwise the optimizer of Swift 6.3 fails its own ownership verification.
  @inline(never)
  func masked(by masker: SecretMasker) -> InstanceStatus {
    guard !masker.isEmpty else { return self }
    switch self {
    case .waiting(let reason, let failure?): return .waiting(reason, after: failure.masked(by: masker))
    case .retrying(let retry, let failure): return .retrying(retry, after: failure.masked(by: masker))
    case .failed(let failure, let notRetried, let partial):
      return .failed(failure.masked(by: masker), notRetried: notRetried, partial: partial)
    case .cancelled(let reason, let failure?): return .cancelled(reason, failure.masked(by: masker))
    case .pending, .waiting, .running, .succeeded, .reused, .cancelled, .skipped: return self
    }
  }
}

/// The outcome of an attempt or an operation: its result, the form in which that is recorded, and the artifacts kept.
struct SettledResult {
  var result: OperationResult = .none
  var recorded: RecordedResult = .none
  var artifacts: [KeptArtifact] = []
}
