extension OperationStore {
  /// Fetches the page after the last one, or the initial page when there are none.
  ///
  /// Waits for runs that fetch the initial page or all pages. See ``run(using:handler:)`` for the parameters.
  ///
  /// - Returns: The page; nil when there is no page after the last one.
  @discardableResult
  public nonisolated(nonsending) func fetchNextPage<PageID, PageValue, Failure>(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(Failure) -> Page<PageID, PageValue>? where State == PaginatedState<PageID, PageValue, Failure> {
    let state = state
    guard state.hasNextPage || state.isLoading else { return nil }
    return try await run(using: pagingContext(.next, context), handler: handler).page
  }

  /// The task of ``fetchNextPage(using:handler:)``, which has not started.
  public func fetchNextPageTask<PageID, PageValue, Failure>(
    using context: OperationContext? = nil
  ) -> OperationTask<Page<PageID, PageValue>?, Failure> where State == PaginatedState<PageID, PageValue, Failure> {
    runTask(using: pagingContext(.next, context)).map { value throws(Failure) in value.page }
  }

  /// Fetches the page before the first one, or the initial page when there are none.
  ///
  /// Waits for runs that fetch the initial page or all pages. See ``run(using:handler:)`` for the parameters.
  ///
  /// - Returns: The page; nil when there is no page before the first one.
  @discardableResult
  public nonisolated(nonsending) func fetchPreviousPage<PageID, PageValue, Failure>(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(Failure) -> Page<PageID, PageValue>? where State == PaginatedState<PageID, PageValue, Failure> {
    let state = state
    guard state.hasPreviousPage || state.isLoading else { return nil }
    return try await run(using: pagingContext(.previous, context), handler: handler).page
  }

  /// The task of ``fetchPreviousPage(using:handler:)``, which has not started.
  public func fetchPreviousPageTask<PageID, PageValue, Failure>(
    using context: OperationContext? = nil
  ) -> OperationTask<Page<PageID, PageValue>?, Failure> where State == PaginatedState<PageID, PageValue, Failure> {
    runTask(using: pagingContext(.previous, context)).map { value throws(Failure) in value.page }
  }

  /// Fetches as many pages as there are again, from the first one on, one by one.
  ///
  /// Waits for all other runs. Ends early when a page says that none follows. The list is replaced when all are there; a
  /// retry goes on with the page that failed. See ``run(using:handler:)`` for the parameters.
  ///
  /// - Returns: The pages; none when there were none.
  @discardableResult
  public nonisolated(nonsending) func refetchAllPages<PageID, PageValue, Failure>(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(Failure) -> Pages<PageID, PageValue> where State == PaginatedState<PageID, PageValue, Failure> {
    let value = try await run(using: pagingContext(.all, context), handler: handler)
    return value.allPages
  }

  /// The task of ``refetchAllPages(using:handler:)``, which has not started.
  public func refetchAllPagesTask<PageID, PageValue, Failure>(
    using context: OperationContext? = nil
  ) -> OperationTask<Pages<PageID, PageValue>, Failure> where State == PaginatedState<PageID, PageValue, Failure> {
    runTask(using: pagingContext(.all, context)).map { value throws(Failure) in value.allPages }
  }

  /// A store of `request` that no client knows, to whose operation nothing is added. See
  /// ``detached(_:state:context:)``.
  public static func detached<Request: PaginatedRequest>(
    _ request: Request, initialValue: Pages<Request.PageID, Request.PageValue> = Pages(),
    context: OperationContext = OperationContext()
  ) -> OperationStore<State>
  where State == PaginatedState<Request.PageID, Request.PageValue, Request.PageFailure> {
    detached(
      request, state: State(initialPageID: request.initialPageID, initialValue: initialValue), context: context)
  }

  private func pagingContext<PageID, PageValue, Failure>(
    _ kind: PagingKind, _ context: OperationContext?
  ) -> OperationContext where State == PaginatedState<PageID, PageValue, Failure> {
    var context = context ?? self.context
    context.setPagingPlan(
      PagingPlan<PageID, PageValue>(kind) { [weak self] in
        // A run keeps its store, so that there always is one.
        guard let state = self?.state else { return (Pages(), nil, nil) }
        return (state.currentValue, state.nextPageID, state.previousPageID)
      })
    return context
  }
}

extension PaginatedOperationValue {
  fileprivate var allPages: Pages<PageID, Value> {
    if case .allPages(let pages) = fetched { pages } else { Pages() }
  }
}
