/// The reason why an operation was cancelled before it began, because of one of its dependencies.
public enum InjectionError: Error, CustomStringConvertible {
  /// The dependency succeeded without a result, but one is required.
  case requirementNotSatisfied
  /// The dependency failed with this error.
  case dependencyFailed(any Error)
  /// The dependency was cancelled, with the reason if there is one.
  case dependencyCancelled((any Error)?)

  /// The identifier of this failure in history and filters: `requirement-not-satisfied`, `dependency-failed` or
  /// `dependency-cancelled`.
  public var code: String {
    switch self {
    case .requirementNotSatisfied: "requirement-not-satisfied"
    case .dependencyFailed: "dependency-failed"
    case .dependencyCancelled: "dependency-cancelled"
    }
  }

  /// The error with which the dependency failed or was cancelled.
  public var underlyingError: (any Error)? {
    switch self {
    case .requirementNotSatisfied: nil
    case .dependencyFailed(let error): error
    case .dependencyCancelled(let error): error
    }
  }

  /// A description for people.
  public var description: String {
    switch self {
    case .requirementNotSatisfied: "the dependency has no result, but one is required"
    case .dependencyFailed(let error): "the dependency failed: \(error)"
    case .dependencyCancelled(let error?): "the dependency was cancelled: \(error)"
    case .dependencyCancelled(nil): "the dependency was cancelled"
    }
  }
}
