/// A request that changes something, with arguments that may differ between runs, such as sending a message.
///
/// ```swift
/// struct Rename: MutationRequest, Hashable {
///   let user: Int
///
///   func mutate(
///     isolation: isolated (any Actor)?,
///     with arguments: String,
///     in context: OperationContext,
///     with continuation: OperationContinuation<Void, any Error>
///   ) async throws {
///     try await directory.rename(user, to: arguments)
///   }
/// }
/// ```
public protocol MutationRequest<Arguments, MutateValue, MutateFailure>: StatefulOperationRequest
where
  Value == MutateValue, Failure == MutateFailure, State == MutationState<Arguments, MutateValue, MutateFailure>
{
  /// The arguments, which differ between runs; `Void` if there are none.
  associatedtype Arguments: Sendable
  /// The result of the change.
  associatedtype MutateValue: Sendable
  /// The error that the change can throw.
  associatedtype MutateFailure: Error

  /// Makes the change once, with `arguments`.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; by convention, that of the caller.
  ///   - arguments: The arguments of the change.
  ///   - context: The choices of modifiers and callers for this run.
  ///   - continuation: Receives values before the final one.
  /// - Returns: The result of the change.
  /// - Throws: The failure of the change.
  func mutate(
    isolation: isolated (any Actor)?,
    with arguments: Arguments,
    in context: OperationContext,
    with continuation: OperationContinuation<MutateValue, MutateFailure>
  ) async throws(MutateFailure) -> MutateValue
}

extension MutationRequest {
  /// Makes the change with the arguments from the context, as set by ``OperationStore/mutate(with:using:handler:)``.
  ///
  /// Without arguments, ``NoMutationHistoryError`` is thrown.
  ///
  /// - Precondition: The context has arguments, or `MutateFailure` can be a ``NoMutationHistoryError``.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<MutateValue, MutateFailure>
  ) async throws(MutateFailure) -> MutateValue {
    guard let arguments = context.mutationArguments(as: Arguments.self) else {
      if let error = NoMutationHistoryError(path: path) as? MutateFailure { throw error }
      preconditionFailure("\(Self.self) was run without arguments; use mutate(with:)")
    }
    return try await mutate(isolation: isolation, with: arguments, in: context, with: continuation)
  }
}

extension ModifiedOperation: MutationRequest
where Operation: MutationRequest, Modifier.Value == Operation.Value, Modifier.Failure == Operation.Failure {
  /// The arguments, which differ between runs.
  public typealias Arguments = Operation.Arguments
  /// The result of the change.
  public typealias MutateValue = Operation.MutateValue
  /// The error that the change can throw.
  public typealias MutateFailure = Operation.MutateFailure

  /// Makes the change through the modifier.
  public func mutate(
    isolation: isolated (any Actor)?,
    with arguments: Operation.Arguments,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.MutateValue, Operation.MutateFailure>
  ) async throws(Operation.MutateFailure) -> Operation.MutateValue {
    var context = context
    context.setMutationArguments(arguments)
    return try await modifier.run(isolation: isolation, in: context, using: operation, with: continuation)
  }
}

/// Thrown when there is no attempt whose arguments a mutation could be retried with.
public struct NoMutationHistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path of the mutation.
  public let path: OperationPath

  /// Creates the error for the mutation at `path`.
  public init(path: OperationPath) {
    self.path = path
  }

  /// The identifier of this failure in history and filters.
  public var code: String { "no-mutation-history" }

  /// A description for people.
  public var description: String { "\(path) cannot be retried, because it was never attempted" }
}
