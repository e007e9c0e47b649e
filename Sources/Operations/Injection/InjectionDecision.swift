/// The decision about a dependent, with the errors that led to it.
public enum InjectionDecision: Sendable {
  /// The dependent runs with the result.
  case run
  /// The dependent runs; the result is null, and `error` is the dependency's failure, if any.
  case runWithoutResult(error: (any Error)?)
  /// The dependent is cancelled.
  case cancel(InjectionError)
  /// The dependent is skipped.
  case skip

  /// Looks up `outcome` in ``InjectionTable``.
  public init<Value>(_ outcome: DependencyOutcome<Value>, _ request: InjectionRequest) {
    switch InjectionTable.decide(outcome.kind, request) {
    case .run: self = .run
    case .runWithoutResult: self = .runWithoutResult(error: outcome.error)
    case .skip: self = .skip
    case .requirementNotSatisfied: self = .cancel(.requirementNotSatisfied)
    case .dependencyCancelled: self = .cancel(.dependencyCancelled(outcome.error))
    case .dependencyFailed:
      // The table only returns this decision for failures, which have an error.
      self = .cancel(outcome.error.map { .dependencyFailed($0) } ?? .requirementNotSatisfied)
    }
  }

  /// The decision without its errors.
  public var kind: InjectionDecisionKind {
    switch self {
    case .run: .run
    case .runWithoutResult: .runWithoutResult
    case .skip: .skip
    case .cancel(.requirementNotSatisfied): .requirementNotSatisfied
    case .cancel(.dependencyCancelled): .dependencyCancelled
    case .cancel(.dependencyFailed): .dependencyFailed
    }
  }

  /// Returns the strongest of `decisions` (see ``InjectionDecisionKind``), and the first among equally strong ones;
  /// `run` if there are none.
  public static func combine(_ decisions: some Sequence<InjectionDecision>) -> InjectionDecision {
    decisions.reduce(.run) { strongest, next in
      // `run` carries no error, so starting from it loses none.
      next.kind > strongest.kind ? next : strongest
    }
  }
}
