/// The status of an operation: unused, running, or finished with a result.
public enum OperationStatus<Value: Sendable, Failure: Error>: Sendable {
  /// Nothing has run and nothing was set.
  case idle
  /// At least one run is in progress.
  case loading
  /// Nothing is running, and this was the last result.
  case result(Result<Value, Failure>)

  /// Whether nothing has run and nothing was set.
  public var isIdle: Bool {
    if case .idle = self { true } else { false }
  }

  /// Whether at least one run is in progress.
  public var isLoading: Bool {
    if case .loading = self { true } else { false }
  }

  /// Whether there is a result and nothing is running.
  public var isFinished: Bool { result != nil }

  /// Whether the newest result is a value.
  public var isSuccessful: Bool {
    if case .result(.success) = self { true } else { false }
  }

  /// Whether the newest result is an error, including a cancellation.
  public var isFailure: Bool { resultError != nil }

  /// Whether the newest result is a `CancellationError`.
  public var isCancelled: Bool { resultError is CancellationError }

  /// The newest result; nil while a run is in progress or if there is none.
  public var result: Result<Value, Failure>? {
    if case .result(let result) = self { result } else { nil }
  }

  /// The newest result, if it is a value.
  public var resultValue: Value? {
    if case .result(.success(let value)) = self { value } else { nil }
  }

  /// The newest result, if it is an error.
  public var resultError: Failure? {
    if case .result(.failure(let error)) = self { error } else { nil }
  }

  /// Returns the same status with its value transformed by `transform`.
  public func mapSuccess<New: Sendable>(_ transform: (Value) throws -> New) rethrows -> OperationStatus<New, Failure> {
    switch self {
    case .idle: .idle
    case .loading: .loading
    case .result(.success(let value)): .result(.success(try transform(value)))
    case .result(.failure(let error)): .result(.failure(error))
    }
  }

  /// Returns the status that `transform` returns for a value; every other status stays the same.
  public func flatMapSuccess<New: Sendable>(
    _ transform: (Value) throws -> OperationStatus<New, Failure>
  ) rethrows -> OperationStatus<New, Failure> {
    switch self {
    case .idle: .idle
    case .loading: .loading
    case .result(.success(let value)): try transform(value)
    case .result(.failure(let error)): .result(.failure(error))
    }
  }
}

extension OperationStatus: Equatable where Value: Equatable, Failure: Equatable {}
extension OperationStatus: Hashable where Value: Hashable, Failure: Hashable {}
