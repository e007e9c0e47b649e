extension OperationStore {
  /// Fetches the page after the last one, or the initial page if there are none.
  ///
  /// Waits for runs that fetch the initial page or all pages. See ``run(using:handler:)`` for the parameters.
  ///
  /// - Returns: The page; nil if there is no page after the last one.
  @discardableResult
  public nonisolated(nonsending) func fetchNextPage<PageID, PageValue, Failure>(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(Failure) -> Page<PageID, PageValue>? where State == PaginatedState<PageID, PageValue, Failure> {
    let state = state
    guard state.hasNextPage || state.isLoading else { return nil }
    return try await run(using: pagingContext(.next, context), handler: handler).page
  }

  /// Returns the task of ``fetchNextPage(using:handler:)``, not yet started.
  public func fetchNextPageTask<PageID, PageValue, Failure>(
    using context: OperationContext? = nil
  ) -> OperationTask<Page<PageID, PageValue>?, Failure> where State == PaginatedState<PageID, PageValue, Failure> {
    runTask(using: pagingContext(.next, context)).map { value throws(Failure) in value.page }
  }

  /// Fetches the page before the first one, or the initial page if there are none.
  ///
  /// Waits for runs that fetch the initial page or all pages. See ``run(using:handler:)`` for the parameters.
  ///
  /// - Returns: The page; nil if there is no page before the first one.
  @discardableResult
  public nonisolated(nonsending) func fetchPreviousPage<PageID, PageValue, Failure>(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(Failure) -> Page<PageID, PageValue>? where State == PaginatedState<PageID, PageValue, Failure> {
    let state = state
    guard state.hasPreviousPage || state.isLoading else { return nil }
    return try await run(using: pagingContext(.previous, context), handler: handler).page
  }

  /// Returns the task of ``fetchPreviousPage(using:handler:)``, not yet started.
  public func fetchPreviousPageTask<PageID, PageValue, Failure>(
    using context: OperationContext? = nil
  ) -> OperationTask<Page<PageID, PageValue>?, Failure> where State == PaginatedState<PageID, PageValue, Failure> {
    runTask(using: pagingContext(.previous, context)).map { value throws(Failure) in value.page }
  }

  /// Refetches all existing pages, one by one, starting with the first.
  ///
  /// Waits for all other runs. Ends early if a page has no successor. The list is replaced once all pages are fetched;
  /// a retry continues with the page that failed. See ``run(using:handler:)`` for the parameters.
  ///
  /// - Returns: The pages; empty if there were none.
  @discardableResult
  public nonisolated(nonsending) func refetchAllPages<PageID, PageValue, Failure>(
    using context: OperationContext? = nil, handler: OperationEventHandler<State>? = nil
  ) async throws(Failure) -> Pages<PageID, PageValue> where State == PaginatedState<PageID, PageValue, Failure> {
    let value = try await run(using: pagingContext(.all, context), handler: handler)
    return value.allPages
  }

  /// Returns the task of ``refetchAllPages(using:handler:)``, not yet started.
  public func refetchAllPagesTask<PageID, PageValue, Failure>(
    using context: OperationContext? = nil
  ) -> OperationTask<Pages<PageID, PageValue>, Failure> where State == PaginatedState<PageID, PageValue, Failure> {
    runTask(using: pagingContext(.all, context)).map { value throws(Failure) in value.allPages }
  }

  /// Returns a store of `request` without a client and its defaults. See ``detached(_:state:context:)``.
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
        // A run retains its store, so there always is one.
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
