/// Why an operation was cancelled before it began, because of one that it depends on.
public enum InjectionError: Error, CustomStringConvertible {
  /// The dependency ended well but has no result, and one is required.
  case requirementNotSatisfied
  /// The dependency failed with this error.
  case dependencyFailed(any Error)
  /// The dependency was cancelled, for this reason if there is one.
  case dependencyCancelled((any Error)?)

  /// Names this failure in history and in filters: `requirement-not-satisfied`, `dependency-failed` or
  /// `dependency-cancelled`.
  public var code: String {
    switch self {
    case .requirementNotSatisfied: "requirement-not-satisfied"
    case .dependencyFailed: "dependency-failed"
    case .dependencyCancelled: "dependency-cancelled"
    }
  }

  /// What the dependency failed or was cancelled with.
  public var underlyingError: (any Error)? {
    switch self {
    case .requirementNotSatisfied: nil
    case .dependencyFailed(let error): error
    case .dependencyCancelled(let error): error
    }
  }

  /// The failure, for people.
  public var description: String {
    switch self {
    case .requirementNotSatisfied: "the dependency has no result, and one is required"
    case .dependencyFailed(let error): "the dependency failed: \(error)"
    case .dependencyCancelled(let error?): "the dependency was cancelled: \(error)"
    case .dependencyCancelled(nil): "the dependency was cancelled"
    }
  }
}
