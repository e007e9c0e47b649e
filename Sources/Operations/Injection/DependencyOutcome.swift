/// How a dependency ended, for whoever depends on it.
public enum DependencyOutcome<Value> {
  /// With a result.
  case succeeded(Value)
  /// Well, but without a result.
  case succeededWithoutResult
  /// With an error.
  case failed(any Error)
  /// With an error that it was allowed to have.
  case failedAllowed(any Error)
  /// Cancelled, with the reason if there is one.
  case cancelled((any Error)?)
  /// Not run, because it was not wanted.
  case skipped

  /// How the dependency ended, without what it ended with.
  @inlinable
  public var kind: DependencyOutcomeKind {
    switch self {
    case .succeeded: .succeeded
    case .succeededWithoutResult: .succeededWithoutResult
    case .failed: .failed
    case .failedAllowed: .failedAllowed
    case .cancelled: .cancelled
    case .skipped: .skipped
    }
  }

  /// What the dependency failed or was cancelled with.
  @inlinable
  public var error: (any Error)? {
    switch self {
    case .failed(let error), .failedAllowed(let error): error
    case .cancelled(let error): error
    case .succeeded, .succeededWithoutResult, .skipped: nil
    }
  }

  /// The outcome of a dependency that threw `error`: cancelled for `CancellationError` and for an ``InjectionError`` (a
  /// dependency of the dependency did not end well), skipped for ``OperationSkippedError``, failed for anything else. A
  /// ``CollectedResultsError`` counts as the strongest of the ends it tells of: failed, then cancelled, then skipped.
  public init(throwing error: any Error) {
    switch error {
    case is CancellationError: self = .cancelled(nil)
    case let error as InjectionError: self = .cancelled(error)
    case is OperationSkippedError: self = .skipped
    case let error as CollectedResultsError:
      let kinds = error.failures.map(\.kind)
      if kinds.contains(.failed) || kinds.contains(.transform) {
        self = .failed(error)
      } else {
        self = kinds.contains(.cancelled) ? .cancelled(error) : .skipped
      }
    default: self = .failed(error)
    }
  }
}

extension DependencyOutcome: Sendable where Value: Sendable {}

/// How a dependency ended, without what it ended with: for tables over indices.
public enum DependencyOutcomeKind: UInt8, Sendable, Hashable, CaseIterable {
  /// With a result.
  case succeeded
  /// Well, but without a result.
  case succeededWithoutResult
  /// With an error.
  case failed
  /// With an error that it was allowed to have.
  case failedAllowed
  /// Cancelled.
  case cancelled
  /// Not run, because it was not wanted.
  case skipped
}

/// Thrown by an operation that decides not to run. Whatever depends on it is skipped as well.
public struct OperationSkippedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The decision not to run.
  public init() {}

  /// Names this end in history and in filters.
  public var code: String { "skipped" }

  /// The decision, for people.
  public var description: String { "skipped" }
}
