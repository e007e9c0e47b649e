// The Swift blocks of the documents, written by DocumentSnippetTests with PENSTOCK_UPDATE_DOCUMENTATION=1.
// swift-format-ignore-file

import HTTPOperations
import LinuxObservers
import Operations
import OperationsTesting
import Synchronization

// Documentation/from-swift-operation.md
private struct User: Sendable {
  var name = ""
}
private struct Users: Sendable {
  var isLoggedIn: Bool { true }
}
extension Users {
  fileprivate func user(_ id: Int) async throws -> User { User() }
  fileprivate func changes(of id: Int) -> AsyncThrowingStream<User, any Error> { AsyncThrowingStream { $0.finish() } }
  fileprivate func onLogin(_ body: @escaping @Sendable (Bool) -> Void) -> @Sendable () -> Void { {} }
}

// Documentation/from-swift-operation.md
extension OperationContext {
  private enum UsersKey: Key { static let defaultValue = Users() }

  fileprivate var users: Users {
    get { self[UsersKey.self] }
    set { self[UsersKey.self] = newValue }
  }
}

// Sources/Operations/Operations.docc/Requests.md
extension OperationContext {
  private enum ShardKey: Key { static let defaultValue = 0 }

  var shard: Int {
    get { self[ShardKey.self] }
    set { self[ShardKey.self] = newValue }
  }
}
// Documentation/from-procedurekit.md
private enum Documentation_from_procedurekit_md {
  struct Retrieval: OperationRequest {
    func run(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      with continuation: OperationContinuation<[UInt8], any Error>
    ) async throws -> [UInt8] {
      [1, 2, 3]
    }
  }

  struct Processing: RequirementOperation {
    func run(
      isolation: isolated (any Actor)?,
      with requirement: [UInt8],
      in context: OperationContext,
      with continuation: OperationContinuation<Int, any Error>
    ) async throws -> Int {
      requirement.reduce(0) { $0 + Int($1) }
    }
  }

  static func block2() async throws {
    let sum = try await OperationRunner(Processing().injectResult(from: Retrieval())).run()
    _ = sum
  }

  static func block3() async throws {
    let processing = Processing().inject(from: Retrieval()) { builder, bytes, error in
      builder.requirement = bytes ?? []
    }
    _ = processing
  }

  static func block4() async throws {
    let robust = Retrieval()
      .timeout(.seconds(8))
      .retry(RetryPolicy(limit: 2, backoff: OperationBackoff(.linear, base: .seconds(2), jitter: .none)))
    _ = robust
  }

  static func block5() async throws {
    let sums = (0..<10).map { _ in Processing().injectResult(from: Retrieval()) }
    let total = try await OperationRunner(sums.collectResults(atOnce: 2)).run().reduce(0, +)
    _ = sums
    _ = total
  }

  struct IfConnected<Base: OperationRequest>: OperationModifier {
    typealias Operation = Base
    let network: any NetworkObserver

    func run(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      using operation: Base,
      with continuation: OperationContinuation<Base.Value, any Error>
    ) async throws -> Base.Value {
      guard network.currentStatus == .connected else { throw OperationSkippedError() }
      return try await operation.run(
        isolation: isolation, in: context, with: continuation.narrowed(to: Base.Failure.self))
    }
  }

  static func block7() async throws {
    let conditional = Retrieval().modifier(IfConnected(network: NetlinkObserver.shared))
    _ = conditional
  }
}

// Documentation/from-swift-operation.md
private enum Documentation_from_swift_operation_md {
  struct UserQuery: QueryRequest, Hashable {
    let id: Int

    func fetch(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      with continuation: OperationContinuation<User, any Error>
    ) async throws -> User {
      try await context.users.user(id)
    }
  }

  struct UserChanges: OperationController {
    let id: Int

    func control(with controls: OperationControls<QueryState<User, any Error>>) -> OperationSubscription {
      let task = Task {
        do {
          for try await user in controls.context.users.changes(of: id) { controls.yield(user) }
        } catch {
          controls.yield(throwing: error)
        }
      }
      return OperationSubscription { task.cancel() }
    }
  }

  final class RerunOnce<State: OperationState>: OperationController {
    func control(with controls: OperationControls<State>) -> OperationSubscription {
      guard controls.canYieldRerun else { return .empty }
      let task = Task {
        let value: State.OperationValue? = try await controls.yieldRerun()
        print(value == nil ? "nothing ran" : "ran")
      }
      return OperationSubscription { task.cancel() }
    }
  }

  static func block5() async throws {
    let user = UserQuery(id: 17).controlled(by: UserChanges(id: 17))
    _ = user
  }

  struct LoggedInSpecification: OperationRunSpecification {
    let users: Users

    func isSatisfied(in context: OperationContext) -> Bool { users.isLoggedIn }

    func subscribe(
      in context: OperationContext, onChange: @escaping @Sendable () -> Void
    ) -> OperationSubscription {
      let end = users.onLogin { _ in onChange() }
      return OperationSubscription { end() }
    }
  }

  static func block7() async throws {
    let query = UserQuery(id: 17)
      .enableAutomaticRunning(onlyWhen: LoggedInSpecification(users: Users()))
      .rerunOnChange(of: .connected(to: NetlinkObserver.shared))
      .staleWhen(satisfying: .applicationIsActive(observer: TerminalActivityObserver.shared) || .never)
    _ = query
  }

  static func block8() async throws {
    let client = OperationClient(
      configuration: OperationClientConfiguration()
        .observing(network: NetlinkObserver.shared, activity: TerminalActivityObserver.shared))
    _ = client
  }
}

// Documentation/http-client.md
private enum Documentation_http_client_md {
  static func block1() async throws {
    let client = HTTPClient()
    var releases = HTTPEventSource(HTTPTransferRequest(url: "https://example.org/releases"), by: client)
    releases.requestProcessors = [HTTPAuthorizationProcessor(.bearer("secret"))]

    // A closure takes each event; the next one is read when it has returned.
    try await releases.run { event in print(event.data) }

    // A loop: at most one event is read ahead.
    for try await event in releases.events() { print(event.type, event.data, event.id) }

    // A controller: each event is the value of a store, or makes it.
    struct Latest: SimpleQueryRequest, Hashable {
      func fetch(in context: OperationContext) async throws -> ServerSentEvent { ServerSentEvent(data: "none yet") }
    }
    let store = OperationClient().store(for: Latest().controlled(by: HTTPEventController(releases)))
    _ = client
    _ = releases
    _ = store
  }
}

// Documentation/http.md
private enum Documentation_http_md {
  static func block1() async throws {
    let client = HTTPClient()
    var fetch = HTTPOperation(HTTPTransferRequest(url: "https://example.org/a"), by: client, to: .text)
    fetch.requestProcessors = [HTTPAuthorizationProcessor(.bearer("secret"))]
    fetch.retry.limit = 5
    let text = try await OperationRunner(fetch).run()
    _ = client
    _ = fetch
    _ = text
  }
}

// README.md
private enum README_md {
  struct Weather: SimpleQueryRequest, Hashable {
    let city: String

    func fetch(in context: OperationContext) async throws -> Double { 11.5 }
  }

  static func block2() async throws {
    let client = OperationClient()
    let store = client.store(for: Weather(city: "Kiel").retry(limit: 2).stale(after: .seconds(600)))
    let subscription = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in print(state.status) }))
    let temperature = try await store.fetch()
    _ = client
    _ = store
    _ = subscription
    _ = temperature
  }
}

// Sources/Operations/Operations.docc/Cancellation.md
private enum Sources_Operations_Operations_docc_Cancellation_md {
  struct Weather: QueryRequest, Hashable {
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<Double, any Error>
    ) async throws -> Double { 11.5 }
  }

  static func block1() async throws {
    let store = OperationClient().store(for: Weather())
    let task = store.fetchTask()
    task.start()
    task.cancel()
    do {
      try await task.runIfNeeded()
    } catch is CancellationError {
      print(store.status.isCancelled)
    }
    _ = store
    _ = task
  }

  enum Unavailable: Error { case closed }

  struct Shop: QueryRequest, Hashable {
    func fetch(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      with continuation: OperationContinuation<String, Unavailable>
    ) async throws(Unavailable) -> String {
      guard !Task.isCancelled else { throw .closed }
      return "bread"
    }
  }
}

// Sources/Operations/Operations.docc/Controllers.md
private enum Sources_Operations_Operations_docc_Controllers_md {
  final class Feed: Sendable {
    func subscribe(_ handler: @escaping @Sendable (Double) -> Void) -> OperationSubscription { .empty }
  }
  struct Price: QueryRequest, Hashable {
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<Double, any Error>
    ) async throws -> Double { 1 }
  }

  struct PriceFeed: OperationController {
    let feed: Feed

    func control(with controls: OperationControls<QueryState<Double, any Error>>) -> OperationSubscription {
      feed.subscribe { price in controls.yield(price) }
    }
  }

  static func block2() async throws {
    let price = Price().controlled(by: PriceFeed(feed: Feed()))
    _ = price
  }

  struct Every<State: OperationState>: OperationController {
    let interval: Duration

    func control(with controls: OperationControls<State>) -> OperationSubscription {
      let task = Task {
        while true {
          try await controls.context.operationDelayer.delay(for: interval)
          if controls.isStale, controls.subscriberCount > 0 { _ = try? await controls.yieldRerun() }
        }
      }
      return OperationSubscription { task.cancel() }
    }
  }
}

// Sources/Operations/Operations.docc/Injection.md
private enum Sources_Operations_Operations_docc_Injection_md {
  struct Fetch: OperationRequest {
    var number = 1
    func run(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<String, any Error>
    ) async throws -> String { "3" }
  }

  struct Count: RequirementOperation {
    func run(
      isolation: isolated (any Actor)?,
      with requirement: String,
      in context: OperationContext,
      with continuation: OperationContinuation<Int, any Error>
    ) async throws -> Int {
      requirement.count
    }
  }

  static func block2() async throws {
    let count = try await OperationRunner(Count().injectResult(from: Fetch())).run()
    _ = count
  }

  static func block3() async throws {
    let literal = Count().requirement("penstock")
    let transformed = Count().injectResult(from: Fetch().retry(limit: 2)) { $0.lowercased() }
    let explained = Count().inject(from: Fetch()) { builder, text, error in
      builder.requirement = text ?? "failed: \(error.map { "\($0)" } ?? "")"
    }
    _ = literal
    _ = transformed
    _ = explained
  }

  static func block4() async throws {
    let fetches = (1...10).map { Fetch(number: $0) }
    let all = fetches.collectResults(atOnce: 4)
    let lengths = fetches.mapResults { $0.count }
    let letters = fetches.flatMapResults { Array($0) }
    _ = fetches
    _ = all
    _ = lengths
    _ = letters
  }
}

// Sources/Operations/Operations.docc/Modifiers.md
private enum Sources_Operations_Operations_docc_Modifiers_md {
  struct Report: QueryRequest, Hashable {
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<String, any Error>
    ) async throws -> String { "" }
  }
  struct Send: MutationRequest, Hashable {
    func mutate(
      isolation: isolated (any Actor)?, with text: String, in context: OperationContext,
      with continuation: OperationContinuation<Void, any Error>
    ) async throws {}
  }

  static func block1() async throws {
    let report = Report()
      .retry(limit: 4)
      .backoff(OperationBackoff(.exponential, base: .milliseconds(200)))
      .stale(after: .seconds(60))
    _ = report
  }

  static func block2() async throws {
    let subscribed = Report()
      .stale(after: .seconds(300))
      .deduplicated()
      .handleEvents(with: OperationEventHandler(onRunStarted: { _ in print("fetching") }))
      .defaultValue("nothing yet")
    let sent = Send().maxHistory(length: 20)
    _ = subscribed
    _ = sent
  }

  static func block3() async throws {
    let bounded: some QueryRequest<String, any Error> = Report().timeout(.seconds(5)).retry(limit: 2)
    let polled = Report().repeating(RepeatPolicy(every: .seconds(10), limit: 30) { text, _ in text == "done" })
    _ = bounded
    _ = polled
  }

  struct Uppercased<Operation: OperationRequest>: OperationModifier where Operation.Value == String {
    func run(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      using operation: Operation,
      with continuation: OperationContinuation<String, Operation.Failure>
    ) async throws(Operation.Failure) -> String {
      try await operation.run(isolation: isolation, in: context, with: continuation).uppercased()
    }
  }

  static func block5() async throws {
    let loud = Report().modifier(Uppercased())
    _ = loud
  }
}

// Sources/Operations/Operations.docc/Operations.md
private enum Sources_Operations_Operations_docc_Operations_md {
  struct Weather: SimpleQueryRequest, Hashable {
    let city: String
    func fetch(in context: OperationContext) async throws -> Double { 11.5 }
  }

  static func block2() async throws {
    let client = OperationClient()
    let store = client.store(for: Weather(city: "Kiel").stale(after: .seconds(600)))
    let subscription = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in print(state.status) }))
    let temperature = try await store.fetch()
    _ = client
    _ = store
    _ = subscription
    _ = temperature
  }

  static func block3() async throws {
    let policy = RetryPolicy(limit: 4, backoff: OperationBackoff(.exponential, base: .milliseconds(200)), deadline: .seconds(120))
    let value = try await OperationRunner(Weather(city: "Kiel").timeout(.seconds(30)).retry(policy)).run()
    _ = policy
    _ = value
  }
}

// Sources/Operations/Operations.docc/Requests.md
private enum Sources_Operations_Operations_docc_Requests_md {
  struct Greeting: OperationRequest {
    let name: String

    func run(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      with continuation: OperationContinuation<String, Never>
    ) async -> String {
      "Hello, \(name)"
    }
  }

  static func block2() async throws {
    let text = await OperationRunner(Greeting(name: "Ada")).run()
    _ = text
  }

  struct Population: SimpleQueryRequest, Hashable {
    let city: String

    func fetch(in context: OperationContext) async throws -> Int { 247_000 }
  }

  struct Station {
    let city: String
    func temperature() async throws -> Double { 11.5 }
  }
  struct Directory {
    func rename(_ user: Int, to name: String) async throws {}
    func page(_ number: Int) async throws -> [String] { [] }
  }

  struct Weather: QueryRequest, Hashable {
    let city: String

    func fetch(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      with continuation: OperationContinuation<Double, any Error>
    ) async throws -> Double {
      try await Station(city: city).temperature()
    }
  }

  struct Rename: MutationRequest, Hashable {
    let user: Int

    func mutate(
      isolation: isolated (any Actor)?,
      with name: String,
      in context: OperationContext,
      with continuation: OperationContinuation<Void, any Error>
    ) async throws {
      try await Directory().rename(user, to: name)
    }
  }

  struct Names: PaginatedRequest, Hashable {
    let initialPageID = 0

    func pageID(
      after page: Page<Int, [String]>, using paging: Paging<Int, [String]>, in context: OperationContext
    ) -> Int? {
      page.value.isEmpty ? nil : page.id + 1
    }

    func fetchPage(
      isolation: isolated (any Actor)?,
      using paging: Paging<Int, [String]>,
      in context: OperationContext,
      with continuation: OperationContinuation<[String], any Error>
    ) async throws -> [String] {
      try await Directory().page(paging.pageID)
    }
  }

  struct Profile: QueryRequest {
    let user: Int
    var path: OperationPath { ["users", user, "profile"] }

    func fetch(
      isolation: isolated (any Actor)?,
      in context: OperationContext,
      with continuation: OperationContinuation<String, any Error>
    ) async throws -> String {
      continuation.yield("…")
      return "Ada"
    }
  }

  static func block7() async throws {
    let request = Weather(city: "Kiel").context { $0.shard = 3 }
    _ = request
  }
}

// Sources/Operations/Operations.docc/Specifications.md
private enum Sources_Operations_Operations_docc_Specifications_md {
  struct Weather: QueryRequest, Hashable {
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<Double, any Error>
    ) async throws -> Double { 11.5 }
  }

  static func block1() async throws {
    let weather = Weather()
      .enableAutomaticRunning(onlyWhen: .connected(to: NetlinkObserver.shared))
      .rerunOnChange(of: .connected(to: NetlinkObserver.shared))
    _ = weather
  }

  static func block2() async throws {
    let opening = AsyncStream<Bool>.makeStream()
    let open = AsyncSequenceRunSpecification(opening.stream, initialValue: false).named("office-hours")
    let ready = .connected(to: NetlinkObserver.shared) && open.hold(for: .seconds(30))
    let line = ready.description(in: OperationContext()).description
    _ = opening
    _ = open
    _ = ready
    _ = line
  }

  final class Session: Sendable {
    var token: String? { nil }
    func observe(_ change: @escaping @Sendable () -> Void) -> Observation { Observation() }
  }
  struct Observation: Sendable {
    func end() {}
  }

  struct LoggedIn: OperationRunSpecification {
    let session: Session

    func isSatisfied(in context: OperationContext) -> Bool { session.token != nil }

    func subscribe(
      in context: OperationContext, onChange: @escaping @Sendable () -> Void
    ) -> OperationSubscription {
      let observation = session.observe(onChange)
      return OperationSubscription { observation.end() }
    }
  }
}

// Sources/Operations/Operations.docc/Stores.md
private enum Sources_Operations_Operations_docc_Stores_md {
  struct Weather: QueryRequest, Hashable {
    let city: String
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<Double, any Error>
    ) async throws -> Double { 11.5 }
  }
  struct Rename: MutationRequest, Hashable {
    func mutate(
      isolation: isolated (any Actor)?, with name: String, in context: OperationContext,
      with continuation: OperationContinuation<Void, any Error>
    ) async throws {}
  }
  struct Names: PaginatedRequest, Hashable {
    let initialPageID = 0
    func pageID(
      after page: Page<Int, [String]>, using paging: Paging<Int, [String]>, in context: OperationContext
    ) -> Int? { nil }
    func fetchPage(
      isolation: isolated (any Actor)?, using paging: Paging<Int, [String]>, in context: OperationContext,
      with continuation: OperationContinuation<[String], any Error>
    ) async throws -> [String] { [] }
  }

  static func block1() async throws {
    let client = OperationClient()
    let store = client.store(for: Weather(city: "Kiel"))
    let subscription = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in
        print(state.currentValue ?? .nan, state.isLoading)
      }))
    let temperature = try await store.fetch()
    _ = client
    _ = store
    _ = subscription
    _ = temperature
  }

  static func block2() async throws {
    let client = OperationClient()
    let rename = client.store(for: Rename())
    try await rename.mutate(with: "Ada")
    let names = client.store(for: Names())
    let page = try await names.fetchNextPage()
    _ = client
    _ = rename
    _ = names
    _ = page
  }

  static func block3() async throws {
    let store = OperationClient().store(for: Weather(city: "Kiel"))
    for await element in store.states {
      print(element.state.status)
    }
    _ = store
  }

  static func block4() async throws {
    let store = OperationClient().store(for: Weather(city: "Kiel"))
    store.withExclusiveAccess { store in
      store.resetState()
      store.currentValue = 12
    }
    _ = store
  }

  static func block5() async throws {
    let observing = OperationClient(
      configuration: OperationClientConfiguration(retryLimit: 5)
        .observing(network: NetlinkObserver.shared, activity: TerminalActivityObserver.shared),
      memoryPressureSource: PressureStallSource.shared)
    _ = observing
  }

  static func block6() async throws {
    let client = OperationClient()
    for store in client.stores(matching: ["users", 17]) { store.resetState() }
    _ = client
  }

  static func block7() async throws {
    let detached = OperationStore.detached(Weather(city: "Kiel").retry(limit: 1), initialValue: 10)
    _ = detached
  }
}

// Sources/Operations/Operations.docc/Testing.md
private enum Sources_Operations_Operations_docc_Testing_md {
  struct Unsteady: QueryRequest, Hashable {
    struct Failed: Error {}
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<Int, any Error>
    ) async throws -> Int {
      guard context.isLastRetryAttempt else { throw Failed() }
      return 1
    }
  }

  static func block1() async throws {
    let clock = TestClock()
    let runner = OperationRunner(
      Unsteady().retry(limit: 1).backoff(.constant(.seconds(60))), context: .testing(clock))
    let value = Task { try await runner.run() }
    await clock.hasDelays()  // it waits for its retry
    clock.advance(by: .seconds(60))  // and tries again
    print(try await value.value)
    _ = clock
    _ = runner
    _ = value
  }

  static func block2() async throws {
    let query = Unsteady()
    let online = TestRunSpecification(false)
    let store = OperationStore.detached(query.disableAutomaticRunning(false).rerunOnChange(of: online))
    let states = Log<Bool>()
    let subscription = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in states.append(state.isLoading) }))
    online.isSatisfied = true
    _ = query
    _ = online
    _ = store
    _ = states
    _ = subscription
  }

  static func block3() async throws {
    let client = OperationClient(configuration: .testing)
    _ = client
  }
}
