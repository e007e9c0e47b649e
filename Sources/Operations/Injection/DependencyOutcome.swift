/// The outcome of a dependency, as seen by its dependents.
public enum DependencyOutcome<Value> {
  /// It succeeded with a result.
  case succeeded(Value)
  /// It succeeded without a result.
  case succeededWithoutResult
  /// It failed with an error.
  case failed(any Error)
  /// It failed with an error, and was allowed to fail.
  case failedAllowed(any Error)
  /// It was cancelled, with the reason if there is one.
  case cancelled((any Error)?)
  /// It did not run because it decided not to.
  case skipped

  /// The kind of outcome, without the result or error.
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

  /// The error with which the dependency failed or was cancelled.
  @inlinable
  public var error: (any Error)? {
    switch self {
    case .failed(let error), .failedAllowed(let error): error
    case .cancelled(let error): error
    case .succeeded, .succeededWithoutResult, .skipped: nil
    }
  }

  /// Creates the outcome of a dependency that threw `error`: cancelled for `CancellationError` and for an ``InjectionError`` (one of its
  /// own dependencies did not succeed), skipped for ``OperationSkippedError``, failed for anything else. A ``CollectedResultsError`` counts
  /// as the most severe of its outcomes: failed, then cancelled, then skipped.
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

/// The kind of outcome of a dependency, without the result or error, for tables over indices.
public enum DependencyOutcomeKind: UInt8, Sendable, Hashable, CaseIterable {
  /// It succeeded with a result.
  case succeeded
  /// It succeeded without a result.
  case succeededWithoutResult
  /// It failed.
  case failed
  /// It failed, and was allowed to fail.
  case failedAllowed
  /// It was cancelled.
  case cancelled
  /// It did not run because it decided not to.
  case skipped
}

/// Thrown by an operation that decides not to run. Its dependents are skipped as well.
public struct OperationSkippedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// The identifier of this outcome in history and filters.
  public var code: String { "skipped" }

  /// A description for people.
  public var description: String { "skipped" }
}
