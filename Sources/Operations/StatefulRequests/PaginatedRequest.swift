/// A request that fetches a list page by page, forwards and backwards.
///
/// The store decides what a run fetches: ``OperationStore/fetchNextPage(using:handler:)``,
/// ``OperationStore/fetchPreviousPage(using:handler:)`` or ``OperationStore/refetchAllPages(using:handler:)``. A plain
/// run fetches the initial page, which replaces the whole list.
public protocol PaginatedRequest<PageID, PageValue, PageFailure>: StatefulOperationRequest
where
  Value == PaginatedOperationValue<PageID, PageValue>, Failure == PageFailure,
  State == PaginatedState<PageID, PageValue, PageFailure>
{
  /// Identifies a page and where to fetch it.
  ///
  /// Its `==` must be pure and must not use the library: it is called while the store's lock is held, when a page is
  /// inserted into the list.
  associatedtype PageID: Hashable & Sendable
  /// The content of a page.
  associatedtype PageValue: Sendable
  /// The error that fetching can throw.
  associatedtype PageFailure: Error

  /// The first page of a new list.
  var initialPageID: PageID { get }

  /// Returns the id of the page after `page`, which is the last one, or nil if there is none. Called right after a page
  /// was fetched, without a lock held.
  func pageID(
    after page: Page<PageID, PageValue>, using paging: Paging<PageID, PageValue>, in context: OperationContext
  ) -> PageID?

  /// Returns the id of the page before `page`, which is the first one, or nil if there is none. Default: nil.
  func pageID(
    before page: Page<PageID, PageValue>, using paging: Paging<PageID, PageValue>, in context: OperationContext
  ) -> PageID?

  /// Fetches one page.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; by convention, that of the caller.
  ///   - paging: The page to fetch, and what is known about the others.
  ///   - context: The choices of modifiers and callers for this run.
  ///   - continuation: Receives partial contents of the page.
  /// - Returns: The content of the page.
  /// - Throws: The failure of the fetch.
  func fetchPage(
    isolation: isolated (any Actor)?,
    using paging: Paging<PageID, PageValue>,
    in context: OperationContext,
    with continuation: OperationContinuation<PageValue, PageFailure>
  ) async throws(PageFailure) -> PageValue
}

extension PaginatedRequest {
  /// Returns nil: there is none.
  public func pageID(
    before page: Page<PageID, PageValue>, using paging: Paging<PageID, PageValue>, in context: OperationContext
  ) -> PageID? { nil }

  /// Fetches the pages that the context specifies: the initial page by default.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<PaginatedOperationValue<PageID, PageValue>, PageFailure>
  ) async throws(PageFailure) -> PaginatedOperationValue<PageID, PageValue> {
    let plan = context.pagingPlan(as: PagingPlan<PageID, PageValue>.self)
    let known = plan?.known ?? (pages: Pages(), next: nil, previous: nil)
    let walk = PagingWalk(request: self, pages: known.pages, context: context, continuation: continuation)
    switch plan?.kind ?? .initial {
    case .next where !known.pages.isEmpty:
      return try await walk.next(known.next, isolation: isolation)
    case .previous where !known.pages.isEmpty:
      return try await walk.previous(known.previous, isolation: isolation)
    case .all:
      return try await walk.all(plan, isolation: isolation)
    case .initial, .next, .previous:
      return try await walk.initial(isolation: isolation)
    }
  }
}

extension ModifiedOperation: PaginatedRequest
where Operation: PaginatedRequest, Modifier.Value == Operation.Value, Modifier.Failure == Operation.Failure {
  /// Identifies a page and where to fetch it.
  public typealias PageID = Operation.PageID
  /// The content of a page.
  public typealias PageValue = Operation.PageValue
  /// The error that fetching can throw.
  public typealias PageFailure = Operation.PageFailure

  /// The first page of a new list.
  public var initialPageID: Operation.PageID { operation.initialPageID }

  /// Returns the id of the page after `page`.
  public func pageID(
    after page: Page<Operation.PageID, Operation.PageValue>,
    using paging: Paging<Operation.PageID, Operation.PageValue>,
    in context: OperationContext
  ) -> Operation.PageID? {
    operation.pageID(after: page, using: paging, in: context)
  }

  /// Returns the id of the page before `page`.
  public func pageID(
    before page: Page<Operation.PageID, Operation.PageValue>,
    using paging: Paging<Operation.PageID, Operation.PageValue>,
    in context: OperationContext
  ) -> Operation.PageID? {
    operation.pageID(before: page, using: paging, in: context)
  }

  /// Fetches one page without the modifier, which applies to whole runs.
  public func fetchPage(
    isolation: isolated (any Actor)?,
    using paging: Paging<Operation.PageID, Operation.PageValue>,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.PageValue, Operation.PageFailure>
  ) async throws(Operation.PageFailure) -> Operation.PageValue {
    try await operation.fetchPage(isolation: isolation, using: paging, in: context, with: continuation)
  }
}
