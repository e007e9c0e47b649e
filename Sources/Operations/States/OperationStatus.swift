/// Where an operation stands: it has not been used, it runs, or its newest result is there.
public enum OperationStatus<Value: Sendable, Failure: Error>: Sendable {
  /// Nothing has run and nothing was set.
  case idle
  /// At least one run goes on.
  case loading
  /// Nothing runs, and this came last.
  case result(Result<Value, Failure>)

  /// Whether nothing has run and nothing was set.
  public var isIdle: Bool {
    if case .idle = self { true } else { false }
  }

  /// Whether at least one run goes on.
  public var isLoading: Bool {
    if case .loading = self { true } else { false }
  }

  /// Whether there is a result and nothing runs.
  public var isFinished: Bool { result != nil }

  /// Whether the newest result is a value.
  public var isSuccessful: Bool {
    if case .result(.success) = self { true } else { false }
  }

  /// Whether the newest result is an error, a cancellation included.
  public var isFailure: Bool { resultError != nil }

  /// Whether the newest result is a `CancellationError`.
  public var isCancelled: Bool { resultError is CancellationError }

  /// The newest result; nil while something runs or when there is none.
  public var result: Result<Value, Failure>? {
    if case .result(let result) = self { result } else { nil }
  }

  /// The newest result, when it is a value.
  public var resultValue: Value? {
    if case .result(.success(let value)) = self { value } else { nil }
  }

  /// The newest result, when it is an error.
  public var resultError: Failure? {
    if case .result(.failure(let error)) = self { error } else { nil }
  }

  /// The same status with a value changed by `transform`.
  public func mapSuccess<New: Sendable>(_ transform: (Value) throws -> New) rethrows -> OperationStatus<New, Failure> {
    switch self {
    case .idle: .idle
    case .loading: .loading
    case .result(.success(let value)): .result(.success(try transform(value)))
    case .result(.failure(let error)): .result(.failure(error))
    }
  }

  /// The status that `transform` makes of a value; every other status stays.
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
