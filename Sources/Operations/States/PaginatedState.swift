/// The state of a ``PaginatedRequest``: the pages fetched so far, in order.
public struct PaginatedState<PageID: Hashable & Sendable, PageValue: Sendable, Failure: Error>: OperationState {
  /// The result of one run.
  public typealias OperationValue = PaginatedOperationValue<PageID, PageValue>
  /// The task of a run.
  public typealias Task = OperationTask<OperationValue, Failure>

  private var outcome: OperationOutcome<Pages<PageID, PageValue>, Failure>
  /// The first page of a new list.
  public let initialPageID: PageID
  /// The id of the page after the last one; nil if there is none or no page has been fetched.
  public private(set) var nextPageID: PageID?
  /// The id of the page before the first one; nil if there is none or no page has been fetched.
  public private(set) var previousPageID: PageID?
  /// The runs that fetch the initial page.
  public private(set) var initialPageActiveTasks = OperationTaskList<OperationValue, Failure>()
  /// The runs that fetch a next page.
  public private(set) var nextPageActiveTasks = OperationTaskList<OperationValue, Failure>()
  /// The runs that fetch a previous page.
  public private(set) var previousPageActiveTasks = OperationTaskList<OperationValue, Failure>()
  /// The runs that refetch all pages.
  public private(set) var allPagesActiveTasks = OperationTaskList<OperationValue, Failure>()

  /// Creates the initial state, with `initialValue`, which is empty by default.
  public init(initialPageID: PageID, initialValue: Pages<PageID, PageValue> = Pages()) {
    self.initialPageID = initialPageID
    outcome = OperationOutcome(initialValue: initialValue)
  }

  /// The pages.
  public var currentValue: Pages<PageID, PageValue> { outcome.value }
  /// The pages initially and after a reset.
  public var initialValue: Pages<PageID, PageValue> { outcome.initialValue }
  /// The number of updates of the pages.
  public var valueUpdateCount: Int { outcome.valueUpdateCount }
  /// The time of the last update of the pages.
  public var valueLastUpdatedAt: Timestamp? { outcome.valueLastUpdatedAt }
  /// The newest error, unless a value has arrived since.
  public var error: Failure? { outcome.error }
  /// The number of errors.
  public var errorUpdateCount: Int { outcome.errorUpdateCount }
  /// The time of the last error.
  public var errorLastUpdatedAt: Timestamp? { outcome.errorLastUpdatedAt }
  /// Whether the value or the error was updated last.
  public var latestUpdate: OperationStateUpdate { outcome.latestUpdate }

  /// Whether there is a page to fetch at the end: its id is known, or there are no pages yet.
  public var hasNextPage: Bool { nextPageID != nil || currentValue.isEmpty }
  /// Whether there is a page to fetch at the beginning: its id is known, or there are no pages yet.
  public var hasPreviousPage: Bool { previousPageID != nil || currentValue.isEmpty }
  /// Whether the initial page is being fetched.
  public var isLoadingInitialPage: Bool { !initialPageActiveTasks.isEmpty }
  /// Whether a next page is being fetched.
  public var isLoadingNextPage: Bool { !nextPageActiveTasks.isEmpty }
  /// Whether a previous page is being fetched.
  public var isLoadingPreviousPage: Bool { !previousPageActiveTasks.isEmpty }
  /// Whether all pages are being refetched.
  public var isLoadingAllPages: Bool { !allPagesActiveTasks.isEmpty }
  /// Whether anything is being fetched.
  public var isLoading: Bool {
    isLoadingInitialPage || isLoadingNextPage || isLoadingPreviousPage || isLoadingAllPages
  }

  /// Adds a run and makes it wait for others: next and previous pages wait for the initial page and all pages; all
  /// pages wait for everything else. Next and previous pages may be fetched in parallel.
  public mutating func schedule(_ task: Task, at time: Timestamp) {
    let kind = task.context.pagingKind
    for other in tasksBefore(kind) { task.core.link(other.core) }
    self[keyPath: Self.list(of: kind)].append(task)
  }

  /// Resets to the initial pages, and removes and returns all runs.
  public mutating func reset() -> [Task] {
    outcome.reset()
    nextPageID = nil
    previousPageID = nil
    return Self.lists.flatMap { self[keyPath: $0].removeAll() }
  }

  /// Applies pages or an error set by a caller. The ids of the neighbouring pages stay the same.
  public mutating func update(with result: Result<Pages<PageID, PageValue>, Failure>, at time: Timestamp) {
    outcome.update(with: result, at: time)
  }

  /// Applies the result of an active run. An intermediate result does not change the ids of the neighbouring pages.
  public mutating func update(with result: Result<OperationValue, Failure>, for task: Task, at time: Timestamp) {
    guard isActive(task) else { return }
    switch result {
    case .failure(let error):
      outcome.update(with: .failure(error), at: time)
    case .success(let value):
      outcome.update(with: .success(pages(with: value.fetched)), at: time)
      if case .known(let id) = value.next { nextPageID = id }
      if case .known(let id) = value.previous { previousPageID = id }
    }
  }

  /// Returns whether `task` is an active run.
  public func isActive(_ task: Task) -> Bool {
    self[keyPath: Self.list(of: task.context.pagingKind)].contains(task)
  }

  /// Removes a run that has ended.
  public mutating func finish(_ task: Task) {
    self[keyPath: Self.list(of: task.context.pagingKind)].remove(task)
  }

  private func pages(with fetched: OperationValue.Fetched) -> Pages<PageID, PageValue> {
    var pages = currentValue
    switch fetched {
    case .initialPage(let page): pages = [page]
    case .nextPage(let page): pages.append(page)
    case .previousPage(let page): pages.prepend(page)
    case .allPages(let all): pages = all
    case .nothing: break
    }
    return pages
  }

  private func tasksBefore(_ kind: PagingKind) -> [Task] {
    switch kind {
    case .initial: []
    case .next, .previous: initialPageActiveTasks + Array(allPagesActiveTasks)
    case .all: initialPageActiveTasks + Array(nextPageActiveTasks) + Array(previousPageActiveTasks)
    }
  }

  private typealias ListPath = WritableKeyPath<PaginatedState, OperationTaskList<OperationValue, Failure>>

  private static var lists: [ListPath] {
    [
      \.initialPageActiveTasks, \.nextPageActiveTasks, \.previousPageActiveTasks, \.allPagesActiveTasks,
    ]
  }

  private static func list(of kind: PagingKind) -> ListPath {
    switch kind {
    case .initial: \.initialPageActiveTasks
    case .next: \.nextPageActiveTasks
    case .previous: \.previousPageActiveTasks
    case .all: \.allPagesActiveTasks
    }
  }
}

/// The state of operations that are run page by page.
public protocol PaginationOperationState: OperationState {}

extension PaginatedState: PaginationOperationState {}
