/// A request that fetches a list page by page, forwards and backwards.
///
/// What a run fetches is said by the store: ``OperationStore/fetchNextPage(using:handler:)``,
/// ``OperationStore/fetchPreviousPage(using:handler:)``, ``OperationStore/refetchAllPages(using:handler:)``. A plain
/// run fetches the initial page, which then is the whole list.
public protocol PaginatedRequest<PageID, PageValue, PageFailure>: StatefulOperationRequest
where
  Value == PaginatedOperationValue<PageID, PageValue>, Failure == PageFailure,
  State == PaginatedState<PageID, PageValue, PageFailure>
{
  /// What tells pages apart, and says where to fetch them.
  ///
  /// Its `==` must be pure and must not use the library: it is called under the lock of the store, when a page takes its
  /// place among the others.
  associatedtype PageID: Hashable & Sendable
  /// What is on a page.
  associatedtype PageValue: Sendable
  /// What fetching can throw.
  associatedtype PageFailure: Error

  /// The page that a list begins with.
  var initialPageID: PageID { get }

  /// The id of the page after `page`, which is the last one; nil when there is none. Called right after a page was
  /// fetched, under no lock.
  func pageID(
    after page: Page<PageID, PageValue>, using paging: Paging<PageID, PageValue>, in context: OperationContext
  ) -> PageID?

  /// The id of the page before `page`, which is the first one; nil when there is none. nil by default.
  func pageID(
    before page: Page<PageID, PageValue>, using paging: Paging<PageID, PageValue>, in context: OperationContext
  ) -> PageID?

  /// Fetches one page.
  ///
  /// - Parameters:
  ///   - isolation: The actor to run on; that of the caller by convention.
  ///   - paging: Which page, and what is known of the others.
  ///   - context: What modifiers and callers have decided for this run.
  ///   - continuation: Takes what is known of the page before it is whole.
  /// - Returns: What is on the page.
  /// - Throws: What fetching failed with.
  func fetchPage(
    isolation: isolated (any Actor)?,
    using paging: Paging<PageID, PageValue>,
    in context: OperationContext,
    with continuation: OperationContinuation<PageValue, PageFailure>
  ) async throws(PageFailure) -> PageValue
}

extension PaginatedRequest {
  /// None.
  public func pageID(
    before page: Page<PageID, PageValue>, using paging: Paging<PageID, PageValue>, in context: OperationContext
  ) -> PageID? { nil }

  /// Fetches what the context asks for: the initial page by default.
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
  /// What tells pages apart.
  public typealias PageID = Operation.PageID
  /// What is on a page.
  public typealias PageValue = Operation.PageValue
  /// What fetching can throw.
  public typealias PageFailure = Operation.PageFailure

  /// The page that a list begins with.
  public var initialPageID: Operation.PageID { operation.initialPageID }

  /// The id of the page after `page`.
  public func pageID(
    after page: Page<Operation.PageID, Operation.PageValue>,
    using paging: Paging<Operation.PageID, Operation.PageValue>,
    in context: OperationContext
  ) -> Operation.PageID? {
    operation.pageID(after: page, using: paging, in: context)
  }

  /// The id of the page before `page`.
  public func pageID(
    before page: Page<Operation.PageID, Operation.PageValue>,
    using paging: Paging<Operation.PageID, Operation.PageValue>,
    in context: OperationContext
  ) -> Operation.PageID? {
    operation.pageID(before: page, using: paging, in: context)
  }

  /// Fetches one page without the modifier, which works around whole runs.
  public func fetchPage(
    isolation: isolated (any Actor)?,
    using paging: Paging<Operation.PageID, Operation.PageValue>,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.PageValue, Operation.PageFailure>
  ) async throws(Operation.PageFailure) -> Operation.PageValue {
    try await operation.fetchPage(isolation: isolation, using: paging, in: context, with: continuation)
  }
}
