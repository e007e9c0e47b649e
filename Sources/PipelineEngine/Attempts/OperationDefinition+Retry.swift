import HTTPOperations
import Operations
import PipelineLanguage

// What `retry:` of an operation means to its attempts: the policy, and which failures it is for. A new cause of `retry.on` is a case of
// `OperationDefinition.Retry.Cause`, which `RetryReader` reads and `admits` judges here.

extension OperationDefinition {
  /// The retry policy that the `retry:` of this operation spells.
  var retryPolicy: RetryPolicy {
    let kind: OperationBackoff.Kind =
      switch retry.backoff {
      case .constant: .constant
      case .linear: .linear
      case .exponential: .exponential
      case .fibonacci: .fibonacci
      case .decorrelated: .decorrelated
      }
    let jitter: OperationBackoff.Jitter =
      switch retry.jitter {
      case .none: .none
      case .full: .full
      case .equal: .equal
      }
    let backoff = OperationBackoff(kind, base: retry.base, cap: retry.maximum, jitter: jitter)
    return RetryPolicy(limit: retry.limit, backoff: backoff, deadline: retry.deadline)
  }

  /// Why a failure is not retried that `on` does not list.
  static let notListed = "not-listed"

  private static let stopsWhatMayHaveSucceeded: RetryPolicy.Decide = { error, _ in
    (error as? OperationFailure)?.stopReason.map { .stop(reason: $0) } ?? .noOpinion
  }

  /// Judges failures: by `on`, where it is written; else a request's by what became of it, and others not.
  func retryDecision(budget: HTTPRetryBudget) -> RetryPolicy.Decide? {
    let causes = retry.on
    if causes.isEmpty {
      guard case .http = action else { return Self.stopsWhatMayHaveSucceeded }
    }
    return { error, _ in
      guard let failure = error as? OperationFailure else { return .stop(reason: Self.notListed) }
      if causes.isEmpty {
        if let reason = failure.stopReason { return .stop(reason: reason) }
        // Nothing was asked of anybody, or what came is not what was wanted: that will be the same next time.
        guard failure.httpEndpoint != nil || failure.code == "timeout" else {
          return .stop(reason: "\(failure.code) will be the same next time")
        }
      } else if !causes.contains(where: { $0.admits(failure) }) {
        return .stop(reason: Self.notListed)
      }
      if let endpoint = failure.httpEndpoint, !budget.take(for: endpoint) {
        return .stop(reason: "the retry budget of \(endpoint) is used up")
      }
      return .noOpinion
    }
  }
}

extension OperationDefinition.Retry.Cause {
  /// Whether a failure is of this kind.
  func admits(_ failure: OperationFailure) -> Bool {
    switch self {
    case .exitCode(let code): failure.exitCode == Int32(code)
    case .signal(let name): failure.signal.map(SignalName.name(of:)) == name
    case .status(let status): failure.httpStatus == status
    case .timeout: failure.code == "timeout"
    case .error(let code): failure.code == code
    }
  }
}
