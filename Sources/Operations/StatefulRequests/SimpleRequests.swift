/// A query whose fetch needs only the context: the short form of ``QueryRequest``.
///
/// ```swift
/// struct Weather: SimpleQueryRequest, Hashable {
///   let city: String
///
///   func fetch(in context: OperationContext) async throws -> Double {
///     try await station(of: city).temperature()
///   }
/// }
/// ```
///
/// Implement ``QueryRequest/fetch(isolation:in:with:)`` instead if the query yields values before the final one, or must run on the actor of its caller. A short form marked
/// `nonisolated(nonsending)` runs there, too; without the mark it leaves that actor.
public protocol SimpleQueryRequest<FetchValue, FetchFailure>: QueryRequest {
  // Repeated, so that both are inferred from the short form.
  associatedtype FetchValue
  associatedtype FetchFailure

  /// Fetches the value once.
  ///
  /// - Parameter context: The choices of modifiers and callers for this run.
  /// - Returns: The value.
  /// - Throws: The failure of the fetch.
  nonisolated(nonsending) func fetch(in context: OperationContext) async throws(FetchFailure) -> FetchValue
}

extension SimpleQueryRequest {
  /// Fetches the value once. Nothing is yielded before.
  @inlinable
  public func fetch(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<FetchValue, FetchFailure>
  ) async throws(FetchFailure) -> FetchValue {
    try await fetch(in: context)
  }
}

/// A change that needs only its arguments and the context: the short form of ``MutationRequest``.
///
/// ```swift
/// struct Rename: SimpleMutationRequest, Hashable {
///   let user: Int
///
///   func mutate(with name: String, in context: OperationContext) async throws {
///     try await directory.rename(user, to: name)
///   }
/// }
/// ```
///
/// Implement ``MutationRequest/mutate(isolation:with:in:with:)`` instead if the change yields values before the final one, or must run on the actor of its caller. A short form marked
/// `nonisolated(nonsending)` runs there, too; without the mark it leaves that actor.
public protocol SimpleMutationRequest<Arguments, MutateValue, MutateFailure>: MutationRequest {
  // Repeated, so that all are inferred from the short form.
  associatedtype Arguments
  associatedtype MutateValue
  associatedtype MutateFailure

  /// Makes the change once, with `arguments`.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of the change.
  ///   - context: The choices of modifiers and callers for this run.
  /// - Returns: The result of the change.
  /// - Throws: The failure of the change.
  nonisolated(nonsending) func mutate(
    with arguments: Arguments, in context: OperationContext
  ) async throws(MutateFailure) -> MutateValue
}

extension SimpleMutationRequest {
  /// Makes the change once, with `arguments`. Nothing is yielded before.
  @inlinable
  public func mutate(
    isolation: isolated (any Actor)?,
    with arguments: Arguments,
    in context: OperationContext,
    with continuation: OperationContinuation<MutateValue, MutateFailure>
  ) async throws(MutateFailure) -> MutateValue {
    try await mutate(with: arguments, in: context)
  }
}
