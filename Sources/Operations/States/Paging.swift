/// The part of a paginated list that a run fetches.
public enum PagingRequest<PageID: Hashable & Sendable>: Sendable, Hashable {
  /// The page after the last one, with this id.
  case nextPage(PageID)
  /// The page before the first one, with this id.
  case previousPage(PageID)
  /// The first page of a new list. It replaces the whole list.
  case initialPage
  /// All existing pages again.
  case allPages
}

/// The input of a paginated request when it fetches a page.
public struct Paging<PageID: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The page to fetch.
  public let pageID: PageID
  /// The existing pages. While all pages are being refetched, only those that were already refetched.
  public let pages: Pages<PageID, Value>
  /// The part of the list that the page belongs to.
  public let request: PagingRequest<PageID>

  /// Creates the input for fetching `pageID`.
  public init(pageID: PageID, pages: Pages<PageID, Value>, request: PagingRequest<PageID>) {
    self.pageID = pageID
    self.pages = pages
    self.request = request
  }
}

/// The result of a run of a paginated request.
public struct PaginatedOperationValue<PageID: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The fetched page, or all of them.
  public enum Fetched: Sendable {
    /// The first page of a new list.
    case initialPage(Page<PageID, Value>)
    /// The page at the end.
    case nextPage(Page<PageID, Value>)
    /// The page at the beginning.
    case previousPage(Page<PageID, Value>)
    /// All pages; in an intermediate result, the new pages so far and the old ones that are yet to be refetched.
    case allPages(Pages<PageID, Value>)
    /// There was no such page.
    case nothing
  }

  /// The id of a neighbouring page, if the run knows it.
  enum Neighbour: Sendable {
    case unchanged
    case known(PageID?)
  }

  /// The part that was fetched.
  public let fetched: Fetched
  var next = Neighbour.unchanged
  var previous = Neighbour.unchanged

  init(_ fetched: Fetched, next: Neighbour = .unchanged, previous: Neighbour = .unchanged) {
    self.fetched = fetched
    self.next = next
    self.previous = previous
  }

  /// The fetched page; nil if all pages or none were fetched.
  public var page: Page<PageID, Value>? {
    switch fetched {
    case .initialPage(let page), .nextPage(let page), .previousPage(let page): page
    case .allPages, .nothing: nil
    }
  }
}
