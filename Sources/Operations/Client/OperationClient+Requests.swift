extension OperationClient {
  /// Returns the store of a query. See ``store(for:state:)``.
  ///
  /// - Parameters:
  ///   - query: The query that the store runs.
  ///   - initialValue: The value before the first fetch, if the store is created by this call; nil by default.
  /// - Returns: The store.
  public func store<Query: QueryRequest>(
    for query: Query, initialValue: Query.FetchValue? = nil
  ) -> OperationStore<QueryState<Query.FetchValue, Query.FetchFailure>> {
    store(for: query, state: QueryState(initialValue: initialValue))
  }

  /// Returns the store of a mutation. See ``store(for:state:)``.
  ///
  /// - Parameters:
  ///   - mutation: The mutation that the store runs.
  ///   - initialValue: The value before the first attempt, if the store is created by this call; nil by default.
  /// - Returns: The store.
  public func store<Mutation: MutationRequest>(
    for mutation: Mutation, initialValue: Mutation.MutateValue? = nil
  ) -> OperationStore<MutationState<Mutation.Arguments, Mutation.MutateValue, Mutation.MutateFailure>> {
    store(for: mutation, state: MutationState(initialValue: initialValue))
  }

  /// Returns the store of a paginated request. See ``store(for:state:)``.
  ///
  /// - Parameters:
  ///   - request: The request that the store runs.
  ///   - initialValue: The pages before the first fetch, if the store is created by this call; none by default.
  /// - Returns: The store.
  public func store<Request: PaginatedRequest>(
    for request: Request, initialValue: Pages<Request.PageID, Request.PageValue> = Pages()
  ) -> OperationStore<PaginatedState<Request.PageID, Request.PageValue, Request.PageFailure>> {
    store(
      for: request, state: PaginatedState(initialPageID: request.initialPageID, initialValue: initialValue))
  }

  /// Returns the store of a query with a default value. See ``store(for:state:)``.
  ///
  /// - Parameters:
  ///   - query: The query that the store runs.
  ///   - initialValue: The value before the first fetch, if the store is created by this call; nil, the default, shows
  ///     the default value.
  /// - Returns: The store.
  public func store<Query: QueryRequest>(
    for query: DefaultStateOperation<Query>, initialValue: Query.FetchValue? = nil
  ) -> OperationStore<DefaultOperationState<QueryState<Query.FetchValue, Query.FetchFailure>>> {
    store(
      for: query,
      state: DefaultOperationState(base: QueryState(initialValue: initialValue), defaultValue: query.defaultValue))
  }

  /// Returns the store of a mutation with a default value. See ``store(for:state:)``.
  ///
  /// - Parameters:
  ///   - mutation: The mutation that the store runs.
  ///   - initialValue: The value before the first attempt, if the store is created by this call; nil, the default,
  ///     shows the default value.
  /// - Returns: The store.
  public func store<Mutation: MutationRequest>(
    for mutation: DefaultStateOperation<Mutation>, initialValue: Mutation.MutateValue? = nil
  ) -> OperationStore<
    DefaultOperationState<MutationState<Mutation.Arguments, Mutation.MutateValue, Mutation.MutateFailure>>
  > {
    store(
      for: mutation,
      state: DefaultOperationState(
        base: MutationState(initialValue: initialValue), defaultValue: mutation.defaultValue))
  }
}
