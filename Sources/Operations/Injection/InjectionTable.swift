/// Decides about a dependent, based on the outcome of its dependency and on what it needs from it.
///
/// This is the only place where these decisions are made. Engines that work with indices use it directly; injection
/// between Swift operations is built on it. Nothing here allocates.
public enum InjectionTable {
  /// Returns the decision about the dependent with respect to one dependency.
  public static func decide(_ outcome: DependencyOutcomeKind, _ request: InjectionRequest) -> InjectionDecisionKind {
    if request.decidesItself { return outcome == .succeeded ? .run : .runWithoutResult }
    return switch (outcome, needs: request.needsResult, handles: request.handlesFailure, default: request.hasDefault) {
    case (.succeeded, needs: _, handles: _, default: _): .run

    case (.succeededWithoutResult, needs: true, handles: _, default: false): .requirementNotSatisfied
    case (.succeededWithoutResult, needs: _, handles: _, default: _): .runWithoutResult

    case (.failed, needs: _, handles: true, default: _): .runWithoutResult
    case (.failed, needs: _, handles: false, default: _): .dependencyFailed

    case (.failedAllowed, needs: _, handles: _, default: _): .runWithoutResult

    case (.cancelled, needs: _, handles: _, default: _): .dependencyCancelled

    case (.skipped, needs: _, handles: _, default: true): .runWithoutResult
    case (.skipped, needs: _, handles: _, default: false): .skip
    }
  }

  /// Returns the decision about a dependent with several dependencies: the strongest of their decisions (see
  /// ``InjectionDecisionKind``). Without dependencies it runs.
  public static func combine(_ decisions: some Sequence<InjectionDecisionKind>) -> InjectionDecisionKind {
    decisions.max() ?? .run
  }
}

/// The decision about a dependent, without the errors, for tables over indices.
///
/// Ordered by strength, weakest first: run < runWithoutResult < skip < requirementNotSatisfied < dependencyCancelled <
/// dependencyFailed. With several dependencies the strongest wins, so that the record shows the cause that a person
/// would act on first: a failure before the cancellations it caused, a deliberate cancellation before a result that is
/// merely missing, and any of these before a skip.
public enum InjectionDecisionKind: UInt8, Sendable, Hashable, Comparable, CaseIterable {
  /// The dependent runs with the result.
  case run
  /// The dependent runs; the result is null.
  case runWithoutResult
  /// The dependent is skipped too.
  case skip
  /// The dependent is cancelled: a required result is missing.
  case requirementNotSatisfied
  /// The dependent is cancelled: the dependency was cancelled.
  case dependencyCancelled
  /// The dependent is cancelled: the dependency failed.
  case dependencyFailed

  /// Whether the dependent runs.
  @inlinable
  public var runs: Bool { self <= .runWithoutResult }

  /// The stable code of the cancellation, as in ``InjectionError/code``; nil if the dependent is not cancelled.
  public var cancellationCode: String? {
    switch self {
    case .run, .runWithoutResult, .skip: nil
    case .requirementNotSatisfied: "requirement-not-satisfied"
    case .dependencyCancelled: "dependency-cancelled"
    case .dependencyFailed: "dependency-failed"
    }
  }

  /// Returns whether `left` is weaker than `right`.
  @inlinable
  public static func < (left: InjectionDecisionKind, right: InjectionDecisionKind) -> Bool {
    left.rawValue < right.rawValue
  }
}
