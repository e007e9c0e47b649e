/// Which part of a paginated list a run fetches.
public enum PagingRequest<PageID: Hashable & Sendable>: Sendable, Hashable {
  /// The page after the last one, which has this id.
  case nextPage(PageID)
  /// The page before the first one, which has this id.
  case previousPage(PageID)
  /// The page to begin with. It replaces the whole list.
  case initialPage
  /// All pages there are, again.
  case allPages
}

/// What a paginated request knows when it fetches a page.
public struct Paging<PageID: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The page to fetch.
  public let pageID: PageID
  /// The pages there are. While all pages are fetched again, those that were fetched already.
  public let pages: Pages<PageID, Value>
  /// What the page is a part of.
  public let request: PagingRequest<PageID>

  /// What is known when `pageID` is fetched.
  public init(pageID: PageID, pages: Pages<PageID, Value>, request: PagingRequest<PageID>) {
    self.pageID = pageID
    self.pages = pages
    self.request = request
  }
}

/// What a run of a paginated request produced.
public struct PaginatedOperationValue<PageID: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The fetched page, or all of them.
  public enum Fetched: Sendable {
    /// The first page of a new list.
    case initialPage(Page<PageID, Value>)
    /// The page at the end.
    case nextPage(Page<PageID, Value>)
    /// The page at the beginning.
    case previousPage(Page<PageID, Value>)
    /// All pages, those that have been fetched so far in an intermediate result.
    case allPages(Pages<PageID, Value>)
    /// There was no such page.
    case nothing
  }

  /// An id of a neighbouring page, as far as the run knows it.
  enum Neighbour: Sendable {
    case unchanged
    case known(PageID?)
  }

  /// What was fetched.
  public let fetched: Fetched
  var next = Neighbour.unchanged
  var previous = Neighbour.unchanged

  init(_ fetched: Fetched, next: Neighbour = .unchanged, previous: Neighbour = .unchanged) {
    self.fetched = fetched
    self.next = next
    self.previous = previous
  }

  /// The fetched page; nil for all pages and for none.
  public var page: Page<PageID, Value>? {
    switch fetched {
    case .initialPage(let page), .nextPage(let page), .previousPage(let page): page
    case .allPages, .nothing: nil
    }
  }
}
