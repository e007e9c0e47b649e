/// One page of a paginated list.
public struct Page<PageID: Hashable & Sendable, Value: Sendable>: Sendable, Identifiable {
  /// Identifies the page and where to fetch it.
  public let id: PageID
  /// The content of the page.
  public let value: Value

  /// Creates the page `id` with the content `value`.
  public init(id: PageID, value: Value) {
    self.id = id
    self.value = value
  }
}

extension Page: Equatable where Value: Equatable {}
extension Page: Hashable where Value: Hashable {}

/// An ordered list of pages with unique ids.
public struct Pages<PageID: Hashable & Sendable, Value: Sendable>: Sendable, RandomAccessCollection {
  private var pages: [Page<PageID, Value>]

  /// Creates an empty list.
  public init() {
    pages = []
  }

  /// Creates a list of `pages`, in order. Of several pages with the same id, the last is kept, at the position of the first.
  public init(_ pages: some Sequence<Page<PageID, Value>>) {
    self.pages = []
    for page in pages { append(page) }
  }

  /// The index of the first page: 0.
  public var startIndex: Int { 0 }

  /// The number of pages.
  public var endIndex: Int { pages.count }

  /// The page at `position`, from 0.
  public subscript(position: Int) -> Page<PageID, Value> { pages[position] }

  /// The page with an id; nil if there is none.
  public subscript(id id: PageID) -> Page<PageID, Value>? { pages.first { $0.id == id } }

  /// Appends a page, or replaces the one with the same id.
  public mutating func append(_ page: Page<PageID, Value>) {
    put(page, at: pages.endIndex)
  }

  /// Prepends a page, or replaces the one with the same id.
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
  /// Creates a list of the given pages.
  public init(arrayLiteral elements: Page<PageID, Value>...) {
    self.init(elements)
  }
}
