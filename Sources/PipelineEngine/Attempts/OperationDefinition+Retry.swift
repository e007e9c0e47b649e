import HTTPOperations
import Operations
import PipelineLanguage

// How the `retry:` of an operation applies to its attempts: the policy, and the failures it covers. A new cause of `retry.on` is a case of
// `OperationDefinition.Retry.Cause`, which `RetryReader` reads and `admits` evaluates here.

extension OperationDefinition {
  /// The retry policy that the `retry:` of this operation defines.
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

  /// The reason why a failure that `on` does not list is not retried.
  static let notListed = "not-listed"

  /// Returns the retry decision for failures: by `on` if it is declared, otherwise by the action.
  func retryDecision(of action: any RunnableAction, budget: HTTPRetryBudget) -> RetryPolicy.Decide {
    let causes = retry.on
    return { error, _ in
      let failure = error as? OperationFailure
      if let failure, failure.isFinal { return .stop(reason: failure.stopReason ?? Self.notListed) }
      if causes.isEmpty {
        let decision = action.retryDecision(after: error)
        guard case .noOpinion = decision else { return decision }
      } else if failure.map({ failure in causes.contains { $0.admits(failure) } }) != true {
        return .stop(reason: Self.notListed)
      }
      if let endpoint = failure?.httpEndpoint, !budget.take(for: endpoint) {
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
