extension OperationStore where State: MutationOperationState {
  /// Runs the mutation with `arguments` and returns its result. See ``run(using:handler:)``.
  @discardableResult
  @inlinable
  public nonisolated(nonsending) func mutate(
    with arguments: State.Arguments, using context: OperationContext? = nil,
    handler: OperationEventHandler<State>? = nil
  ) async throws(State.Failure) -> State.OperationValue {
    try await run(using: contextForMutation(with: arguments, using: context), handler: handler)
  }

  /// Returns the task of a mutation with `arguments`, not yet started. See ``runTask(using:)``.
  public func mutateTask(
    with arguments: State.Arguments, using context: OperationContext? = nil
  ) -> OperationTask<State.OperationValue, State.Failure> {
    runTask(using: contextForMutation(with: arguments, using: context))
  }

  /// Runs the mutation with the arguments of the newest attempt in the history.
  ///
  /// - Throws: ``NoMutationHistoryError`` if there is none; otherwise the error of the mutation.
  @discardableResult
  public nonisolated(nonsending) func retryLatest(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws -> State.OperationValue {
    try await run(using: contextForLatest(using: context), handler: handler)
  }

  /// Returns the task of a mutation with the arguments of the newest attempt in the history, not yet started.
  public func retryLatestTask(
    using context: OperationContext? = nil
  ) throws(NoMutationHistoryError) -> OperationTask<State.OperationValue, State.Failure> {
    runTask(using: try contextForLatest(using: context))
  }

  @usableFromInline
  func contextForMutation(with arguments: State.Arguments, using context: OperationContext?) -> OperationContext {
    var context = context ?? self.context
    context.setMutationArguments(arguments)
    return context
  }

  private func contextForLatest(
    using context: OperationContext?
  ) throws(NoMutationHistoryError) -> OperationContext {
    guard let context = state.contextForRerun(context ?? self.context) else {
      throw NoMutationHistoryError(path: path)
    }
    return context
  }
}

extension OperationStore where State: MutationOperationState, State.Arguments == Void {
  /// Runs the mutation. See ``run(using:handler:)``.
  @discardableResult
  @inlinable
  public nonisolated(nonsending) func mutate(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(State.Failure) -> State.OperationValue {
    try await mutate(with: (), using: context, handler: handler)
  }

  /// Returns the task of a mutation, not yet started. See ``runTask(using:)``.
  public func mutateTask(
    using context: OperationContext? = nil
  ) -> OperationTask<State.OperationValue, State.Failure> {
    mutateTask(with: (), using: context)
  }
}

extension OperationStore {
  /// Returns a store of `mutation` without a client and its defaults. See ``detached(_:state:context:)``.
  public static func detached<Mutation: MutationRequest>(
    _ mutation: Mutation, initialValue: Mutation.MutateValue? = nil, context: OperationContext = OperationContext()
  ) -> OperationStore<State>
  where State == MutationState<Mutation.Arguments, Mutation.MutateValue, Mutation.MutateFailure> {
    detached(mutation, state: State(initialValue: initialValue), context: context)
  }

  /// Returns a store of `operation`, which has a default value, without a client. See ``detached(_:state:context:)``.
  public static func detached<Operation: StatefulOperationRequest>(
    _ operation: DefaultStateOperation<Operation>, base: Operation.State, context: OperationContext = OperationContext()
  ) -> OperationStore<State> where State == DefaultOperationState<Operation.State> {
    detached(operation, state: State(base: base, defaultValue: operation.defaultValue), context: context)
  }
}
