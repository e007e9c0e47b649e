/// A request that changes something, with arguments that differ from time to time, such as sending a message.
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
  /// What differs from time to time; `Void` for nothing.
  associatedtype Arguments: Sendable
  /// What comes of the change.
  associatedtype MutateValue: Sendable
  /// What changing can throw.
  associatedtype MutateFailure: Error

  /// Makes the change once, with `arguments`.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; that of the caller by convention.
  ///   - arguments: What to do it with.
  ///   - context: What modifiers and callers have decided for this run.
  ///   - continuation: Takes values that are known before the final one.
  /// - Returns: What comes of the change.
  /// - Throws: What changing failed with.
  func mutate(
    isolation: isolated (any Actor)?,
    with arguments: Arguments,
    in context: OperationContext,
    with continuation: OperationContinuation<MutateValue, MutateFailure>
  ) async throws(MutateFailure) -> MutateValue
}

extension MutationRequest {
  /// Makes the change with the arguments of the context, which ``OperationStore/mutate(with:using:handler:)`` puts
  /// there.
  ///
  /// Without arguments, ``NoMutationHistoryError`` is thrown.
  ///
  /// - Precondition: There are arguments in the context, or `MutateFailure` can be a ``NoMutationHistoryError``.
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
  /// What differs from time to time.
  public typealias Arguments = Operation.Arguments
  /// What comes of the change.
  public typealias MutateValue = Operation.MutateValue
  /// What changing can throw.
  public typealias MutateFailure = Operation.MutateFailure

  /// Makes the change in the modifier's way.
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

/// There is no attempt whose arguments a mutation could be run with again.
public struct NoMutationHistoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The mutation.
  public let path: OperationPath

  /// The mutation at `path` has no history.
  public init(path: OperationPath) {
    self.path = path
  }

  /// Names this failure in history and in filters.
  public var code: String { "no-mutation-history" }

  /// The failure, for people.
  public var description: String { "\(path) cannot be retried, because it was never attempted" }
}
