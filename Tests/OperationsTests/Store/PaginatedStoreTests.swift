import Operations
import Testing

@Suite("Paginated store")
struct PaginatedStoreTests {
  private typealias Store = OperationStore<PaginatedState<Int, String, any Error>>

  @Test("With an empty list, next and previous fetch the initial page", arguments: [true, false])
  func initialPage(isNext: Bool) async throws {
    let store = Store.detached(Numbers())
    #expect(store.hasNextPage && store.hasPreviousPage)
    let page = isNext ? try await store.fetchNextPage() : try await store.fetchPreviousPage()
    #expect(page == Page(id: 2, value: "2"))
    #expect(store.currentValue.map(\.id) == [2])
    #expect(store.nextPageID == 3)
    #expect(store.previousPageID == 1)
  }

  @Test("Pages are added at both ends, and nil means that there are no more")
  func bothEnds() async throws {
    let store = Store.detached(Numbers(first: 1, last: 3))
    try await store.fetchNextPage()
    #expect(try await store.fetchNextPage()?.id == 3)
    #expect(try await store.fetchPreviousPage()?.id == 1)
    #expect(store.currentValue.map(\.id) == [1, 2, 3])
    #expect(!store.hasNextPage && !store.hasPreviousPage)
    let updates = store.valueUpdateCount
    #expect(try await store.fetchNextPage() == nil)
    #expect(try await store.fetchPreviousPage() == nil)
    #expect(try await store.fetchNextPageTask().runIfNeeded() == nil)
    #expect(store.currentValue.count == 3)
    #expect(store.valueUpdateCount <= updates + 1)
  }

  @Test("A plain run fetches the initial page, which replaces the list")
  func plainRun() async throws {
    let store = Store.detached(Numbers())
    try await store.fetchNextPage()
    try await store.fetchNextPage()
    #expect(try await store.run().page?.id == 2)
    #expect(store.currentValue.map(\.id) == [2])
    #expect(store.nextPageID == 3)
  }

  @Test("Next and previous pages may be fetched in parallel, and all pages wait for both")
  func concurrency() async throws {
    let turnstile = Turnstile()
    let fetched = Log<Int>()
    var numbers = Numbers()
    numbers.fetch = { paging, _ in
      if fetched.append(paging.pageID) > 1 { try await turnstile.pass() }
      return "\(paging.pageID)"
    }
    let store = Store.detached(numbers)
    try await store.fetchNextPage()
    let next = Task { try await store.fetchNextPage() }
    let previous = Task { try await store.fetchPreviousPage() }
    await turnstile.arrives(2)
    #expect(store.isLoadingNextPage && store.isLoadingPreviousPage)
    let all = Task { try await store.refetchAllPages() }
    await store.reaches { $0.isLoadingAllPages }
    #expect(turnstile.arrivals == 2)
    turnstile.open()
    _ = try await (next.value, previous.value)
    for count in 3...5 {
      await turnstile.arrives(count)
      turnstile.open()
    }
    #expect(try await all.value.map(\.id) == [1, 2, 3])
    #expect(Array(fetched.elements.suffix(3)) == [1, 2, 3])
  }

  @Test("Next and previous pages wait for the initial page and for all pages")
  func waiting() async throws {
    let turnstile = Turnstile()
    var numbers = Numbers()
    numbers.fetch = { paging, _ in
      try await turnstile.pass()
      return "\(paging.pageID)"
    }
    let store = Store.detached(numbers)
    let initial = Task { try await store.run() }
    await turnstile.arrives(1)
    let next = Task { try await store.fetchNextPage() }
    await store.reaches { $0.isLoadingNextPage }
    #expect(turnstile.arrivals == 1)
    turnstile.open()
    _ = try await initial.value
    await turnstile.arrives(2)
    turnstile.open()
    #expect(try await next.value?.id == 3)
    let all = Task { try await store.refetchAllPages() }
    await turnstile.arrives(3)
    let previous = Task { try await store.fetchPreviousPage() }
    await store.reaches { $0.isLoadingPreviousPage }
    #expect(turnstile.arrivals == 3)
    turnstile.open()
    await turnstile.arrives(4)
    turnstile.open()
    await turnstile.arrives(5)
    turnstile.open()
    #expect(try await all.value.map(\.id) == [2, 3])
    #expect(try await previous.value?.id == 1)
    #expect(store.currentValue.map(\.id) == [1, 2, 3])
  }

  @Test("Refetching all pages of an empty list returns none and fetches nothing")
  func allOfNone() async throws {
    let fetched = Log<Int>()
    var numbers = Numbers()
    numbers.fetch = { paging, _ in
      fetched.append(paging.pageID)
      return ""
    }
    let store = Store.detached(numbers)
    #expect(try await store.refetchAllPages().isEmpty)
    #expect(fetched.count == 0)
  }

  @Test("All pages are refetched from the first one, and the walk ends early if a page has no successor")
  func shorter() async throws {
    let last = Log<Int>()
    let pages: Pages = [Page(id: 0, value: "a"), Page(id: 1, value: "b"), Page(id: 2, value: "c")]
    var numbers = Numbers(last: 1)
    numbers.fetch = { paging, _ in
      last.append(paging.pageID)
      return "new \(paging.pageID)"
    }
    let store = Store.detached(numbers, initialValue: pages)
    #expect(try await store.refetchAllPages().map(\.value) == ["new 0", "new 1"])
    #expect(last.elements == [0, 1])
    #expect(store.currentValue.map(\.id) == [0, 1])
    #expect(!store.hasNextPage)
  }

  @Test("A retry over all pages continues with the page that failed")
  func retry() async throws {
    let fetched = Log<Int>()
    var numbers = Numbers()
    numbers.fetch = { paging, _ in
      fetched.append(paging.pageID)
      if fetched.elements == [2, 3, 4, 2, 3] { throw TestError() }
      return "\(fetched.count)"
    }
    let store = Store.detached(numbers.retry(limit: 1), context: .faking(FakeTime()))
    for _ in 1...3 { try await store.fetchNextPage() }
    try await store.refetchAllPages()
    #expect(fetched.elements == [2, 3, 4, 2, 3, 3, 4])
    #expect(store.currentValue.map(\.value) == ["4", "6", "7"])
  }

  @Test("A yielded page changes the list but not the ids of the neighbouring pages")
  func yielded() async throws {
    let turnstile = Turnstile()
    var numbers = Numbers()
    numbers.fetch = { paging, continuation in
      if paging.pageID == 3 {
        continuation.yield("partly")
        try await turnstile.pass()
      }
      return "\(paging.pageID)"
    }
    let store = Store.detached(numbers)
    try await store.fetchNextPage()
    let next = Task { try await store.fetchNextPage() }
    await turnstile.arrives()
    #expect(store.currentValue.map(\.value) == ["2", "partly"])
    #expect(store.nextPageID == 3)
    turnstile.open()
    _ = try await next.value
    #expect(store.currentValue.map(\.value) == ["2", "3"])
    #expect(store.nextPageID == 4)
  }

  @Test("A client shares fetches of the same part of the list, and only those")
  func deduplicated() async throws {
    let turnstile = Turnstile()
    let fetched = Log<Int>()
    var numbers = Numbers()
    numbers.fetch = { paging, _ in
      fetched.append(paging.pageID)
      if paging.pageID != 2 { try await turnstile.pass() }
      return "\(paging.pageID)"
    }
    let store = OperationClient(configuration: .testing).store(for: numbers.disableAutomaticRunning())
    try await store.run()
    let tasks = [
      Task { try await store.fetchNextPage()?.id }, Task { try await store.fetchNextPage()?.id },
      Task { try await store.fetchPreviousPage()?.id },
    ]
    await store.reaches { $0.nextPageActiveTasks.count == 2 && $0.isLoadingPreviousPage }
    await turnstile.arrives(2)
    turnstile.open()
    #expect(try await tasks[0].value == 3)
    #expect(try await tasks[1].value == 3)
    #expect(try await tasks[2].value == 1)
    #expect(fetched.elements.sorted() == [1, 2, 3])
    #expect(store.currentValue.map(\.id) == [1, 2, 3])
  }

  @Test("A page yielded while all pages are being refetched does not affect those fetched before it")
  func yieldedInWalk() async throws {
    let round = Log<Int>()
    var numbers = Numbers()
    numbers.fetch = { paging, continuation in
      continuation.yield("partly \(paging.pageID)")
      return "\(round.count)-\(paging.pageID)"
    }
    let store = Store.detached(numbers)
    for _ in 1...3 { try await store.fetchNextPage() }
    round.append(1)
    let lists = Log<[String]>()
    try await store.refetchAllPages(
      handler: OperationEventHandler(onStateChanged: { state, _ in
        let list = state.currentValue.map(\.value)
        if lists.elements.last != list { lists.append(list) }
      }))
    #expect(
      lists.elements == [
        ["0-2", "0-3", "0-4"], ["partly 2", "0-3", "0-4"], ["1-2", "partly 3", "0-4"], ["1-2", "1-3", "partly 4"],
        ["1-2", "1-3", "1-4"],
      ])
  }
}
