/// A request that fetches a value each time it is run; the newest value is the state.
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
  /// The fetched value.
  associatedtype FetchValue: Sendable
  /// The error that fetching can throw.
  associatedtype FetchFailure: Error

  /// Fetches the value once.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; by convention, that of the caller.
  ///   - context: The choices of modifiers and callers for this run.
  ///   - continuation: Receives values before the final one; each immediately becomes the store's value.
  /// - Returns: The value.
  /// - Throws: The failure of the fetch.
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
  /// The fetched value.
  public typealias FetchValue = Operation.FetchValue
  /// The error that fetching can throw.
  public typealias FetchFailure = Operation.FetchFailure

  /// Fetches the value through the modifier.
  @inlinable
  public func fetch(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.FetchValue, Operation.FetchFailure>
  ) async throws(Operation.FetchFailure) -> Operation.FetchValue {
    try await modifier.run(isolation: isolation, in: context, using: operation, with: continuation)
  }
}
