/// Fetches the pages of one run of a ``PaginatedRequest``.
struct PagingWalk<Request: PaginatedRequest> {
  typealias Value = PaginatedOperationValue<Request.PageID, Request.PageValue>
  typealias FetchedPage = Page<Request.PageID, Request.PageValue>
  typealias FetchedPages = Pages<Request.PageID, Request.PageValue>

  let request: Request
  /// The pages that existed before the run.
  let pages: FetchedPages
  let context: OperationContext
  let continuation: OperationContinuation<Value, Request.PageFailure>

  func initial(isolation: isolated (any Actor)?) async throws(Request.PageFailure) -> Value {
    let paging = Paging(pageID: request.initialPageID, pages: pages, request: .initialPage)
    let page = try await fetch(paging, isolation: isolation) { .initialPage($0) }
    return Value(.initialPage(page), next: next(page, paging), previous: previous(page, paging))
  }

  func next(_ id: Request.PageID?, isolation: isolated (any Actor)?) async throws(Request.PageFailure) -> Value {
    guard let id else { return Value(.nothing) }
    let paging = Paging(pageID: id, pages: pages, request: .nextPage(id))
    let page = try await fetch(paging, isolation: isolation) { .nextPage($0) }
    return Value(.nextPage(page), next: next(page, paging))
  }

  func previous(_ id: Request.PageID?, isolation: isolated (any Actor)?) async throws(Request.PageFailure) -> Value {
    guard let id else { return Value(.nothing) }
    let paging = Paging(pageID: id, pages: pages, request: .previousPage(id))
    let page = try await fetch(paging, isolation: isolation) { .previousPage($0) }
    return Value(.previousPage(page), previous: previous(page, paging))
  }

  /// Fetches as many pages as there are, starting with the first, each after the previous one; fewer if the list has
  /// become shorter. A retry continues with the page that failed.
  func all(
    _ plan: PagingPlan<Request.PageID, Request.PageValue>?, isolation: isolated (any Actor)?
  ) async throws(Request.PageFailure) -> Value {
    guard let first = pages.first else { return Value(.nothing) }
    var done = plan?.fetchedPages ?? FetchedPages()
    func paging(_ id: Request.PageID) -> Paging<Request.PageID, Request.PageValue> {
      Paging(pageID: id, pages: done, request: .allPages)
    }
    while done.count < pages.count {
      let id: Request.PageID
      if let last = done.last {
        guard let after = request.pageID(after: last, using: paging(last.id), in: context) else { break }
        // A list that loops back to itself would never end.
        guard done[id: after] == nil else { break }
        id = after
      } else {
        id = first.id
      }
      let page = try await fetch(paging(id), isolation: isolation) { [pages, done] page in
        var partial = done
        partial.append(page)
        for old in pages where partial[id: old.id] == nil { partial.append(old) }
        return .allPages(partial)
      }
      done.append(page)
      plan?.fetchedPages = done
    }
    guard let newFirst = done.first, let newLast = done.last else { return Value(.nothing) }
    return Value(
      .allPages(done), next: next(newLast, paging(newLast.id)), previous: previous(newFirst, paging(newFirst.id)))
  }

  private func fetch(
    _ paging: Paging<Request.PageID, Request.PageValue>, isolation: isolated (any Actor)?,
    wrap: @escaping @Sendable (FetchedPage) -> Value.Fetched
  ) async throws(Request.PageFailure) -> FetchedPage {
    let value = try await request.fetchPage(
      isolation: isolation, using: paging, in: context,
      with: OperationContinuation { [continuation] result, context in
        continuation.yield(
          with: result.map { Value(wrap(FetchedPage(id: paging.pageID, value: $0))) }, using: context)
      })
    return FetchedPage(id: paging.pageID, value: value)
  }

  private func next(
    _ page: FetchedPage, _ paging: Paging<Request.PageID, Request.PageValue>
  ) -> Value.Neighbour {
    .known(request.pageID(after: page, using: paging, in: context))
  }

  private func previous(
    _ page: FetchedPage, _ paging: Paging<Request.PageID, Request.PageValue>
  ) -> Value.Neighbour {
    .known(request.pageID(before: page, using: paging, in: context))
  }
}
