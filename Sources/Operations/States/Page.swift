/// One page of a paginated list.
public struct Page<PageID: Hashable & Sendable, Value: Sendable>: Sendable, Identifiable {
  /// What tells the page from others, and where it is fetched from.
  public let id: PageID
  /// What is on it.
  public let value: Value

  /// The page `id` with `value` on it.
  public init(id: PageID, value: Value) {
    self.id = id
    self.value = value
  }
}

extension Page: Equatable where Value: Equatable {}
extension Page: Hashable where Value: Hashable {}

/// Pages in their order, each id at most once.
public struct Pages<PageID: Hashable & Sendable, Value: Sendable>: Sendable, RandomAccessCollection {
  private var pages: [Page<PageID, Value>]

  /// No pages.
  public init() {
    pages = []
  }

  /// `pages` in their order; of several with one id, the last, in the place of the first.
  public init(_ pages: some Sequence<Page<PageID, Value>>) {
    self.pages = []
    for page in pages { append(page) }
  }

  /// Where the pages begin: 0.
  public var startIndex: Int { 0 }

  /// The number of pages.
  public var endIndex: Int { pages.count }

  /// The page at `position`, from 0.
  public subscript(position: Int) -> Page<PageID, Value> { pages[position] }

  /// The page of an id; nil when there is none.
  public subscript(id id: PageID) -> Page<PageID, Value>? { pages.first { $0.id == id } }

  /// Adds a page at the end, or replaces the one with its id.
  public mutating func append(_ page: Page<PageID, Value>) {
    put(page, at: pages.endIndex)
  }

  /// Adds a page at the beginning, or replaces the one with its id.
  public mutating func prepend(_ page: Page<PageID, Value>) {
    put(page, at: 0)
  }

  private mutating func put(_ page: Page<PageID, Value>, at index: Int) {
    if let known = pages.firstIndex(where: { $0.id == page.id }) {
      pages[known] = page
    } else {
      pages.insert(page, at: index)
    }
  }
}

extension Pages: Equatable where Value: Equatable {}
extension Pages: Hashable where Value: Hashable {}

extension Pages: ExpressibleByArrayLiteral {
  /// The listed pages.
  public init(arrayLiteral elements: Page<PageID, Value>...) {
    self.init(elements)
  }
}
