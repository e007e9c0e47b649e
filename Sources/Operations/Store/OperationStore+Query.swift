extension OperationStore where State: QueryOperationState {
  /// Fetches the value. See ``run(using:handler:)``.
  @discardableResult
  @inlinable
  public nonisolated(nonsending) func fetch(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(State.Failure) -> State.OperationValue {
    try await run(using: context, handler: handler)
  }

  /// Returns the task of a fetch, not yet started. See ``runTask(using:)``.
  public func fetchTask(
    using context: OperationContext? = nil
  ) -> OperationTask<State.OperationValue, State.Failure> {
    runTask(using: context)
  }
}

extension OperationStore {
  /// Returns a store of `query` without a client and its defaults. See ``detached(_:state:context:)``.
  public static func detached<Query: QueryRequest>(
    _ query: Query, initialValue: Query.FetchValue? = nil, context: OperationContext = OperationContext()
  ) -> OperationStore<State> where State == QueryState<Query.FetchValue, Query.FetchFailure> {
    detached(query, state: State(initialValue: initialValue), context: context)
  }
}
