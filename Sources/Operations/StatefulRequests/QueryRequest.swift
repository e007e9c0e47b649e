/// A request that fetches a value, as often as it is asked for: the newest one is the state.
///
/// ```swift
/// struct Weather: QueryRequest, Hashable {
///   let city: String
///
///   func fetch(
///     isolation: isolated (any Actor)?,
///     in context: OperationContext,
///     with continuation: OperationContinuation<Double, any Error>
///   ) async throws -> Double {
///     try await station(of: city).temperature()
///   }
/// }
/// ```
public protocol QueryRequest<FetchValue, FetchFailure>: StatefulOperationRequest
where Value == FetchValue, Failure == FetchFailure, State == QueryState<FetchValue, FetchFailure> {
  /// What is fetched.
  associatedtype FetchValue: Sendable
  /// What fetching can throw.
  associatedtype FetchFailure: Error

  /// Fetches the value once.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; that of the caller by convention.
  ///   - context: What modifiers and callers have decided for this run.
  ///   - continuation: Takes values that are known before the final one; each becomes the store's value at once.
  /// - Returns: The value.
  /// - Throws: What fetching failed with.
  func fetch(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<FetchValue, FetchFailure>
  ) async throws(FetchFailure) -> FetchValue
}

extension QueryRequest {
  /// Fetches the value once.
  @inlinable
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<FetchValue, FetchFailure>
  ) async throws(FetchFailure) -> FetchValue {
    try await fetch(isolation: isolation, in: context, with: continuation)
  }
}

extension ModifiedOperation: QueryRequest
where Operation: QueryRequest, Modifier.Value == Operation.Value, Modifier.Failure == Operation.Failure {
  /// What is fetched.
  public typealias FetchValue = Operation.FetchValue
  /// What fetching can throw.
  public typealias FetchFailure = Operation.FetchFailure

  /// Fetches the value in the modifier's way.
  @inlinable
  public func fetch(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.FetchValue, Operation.FetchFailure>
  ) async throws(Operation.FetchFailure) -> Operation.FetchValue {
    try await modifier.run(isolation: isolation, in: context, using: operation, with: continuation)
  }
}
