import Glibc
import Operations
import OperationsTesting
import Synchronization
import Testing

/// Performs every action on stores, from many tasks at once. Lasts 20 seconds with `PENSTOCK_SOAK=full`, otherwise a short time.
@Suite("Stores under stress")
struct StoreStressTests {
  private static let stores = 200
  private static let tasks = 64

  /// A count of live objects.
  private final class Census: Sendable {
    private let count = Atomic(0)
    var living: Int { count.load(ordering: .sequentiallyConsistent) }
    func born() { count.add(1, ordering: .sequentiallyConsistent) }
    func died() { count.subtract(1, ordering: .sequentiallyConsistent) }
  }

  /// An object that a store retains, and that is counted.
  private final class Tracked: Sendable {
    let census: Census
    init(_ census: Census) {
      self.census = census
      census.born()
    }
    deinit { census.died() }
  }

  private struct Controller: OperationController {
    let tracked: Tracked

    func control(with controls: OperationControls<QueryState<Int, any Error>>) -> OperationSubscription {
      let held = Tracked(tracked.census)
      return OperationSubscription { _ = held }
    }
  }

  /// The number of started and ended runs of one store.
  private final class Tally: Sendable {
    let started = Atomic(0)
    let ended = Atomic(0)
  }

  private struct Subject {
    let store: OperationStore<QueryState<Int, any Error>>
    let tally: Tally
  }

  private func subject(_ number: Int, _ census: Census, _ random: OperationRandom) -> Subject {
    let tracked = Tracked(census)
    let tally = Tally()
    let query = TestQuery<Int, any Error>(path: ["stress", number]) { context, continuation in
      _ = tracked
      for step in 0..<Int(random.uniform() * 4) {
        continuation.yield(step)
        await Task.yield()
      }
      try Task.checkCancellation()
      if random.uniform() < 0.2 { throw TestError(number: number) }
      return number
    }
    .handleEvents(
      with: OperationEventHandler(
        onRunStarted: { _ in tally.started.add(1, ordering: .relaxed) },
        onRunEnded: { _ in tally.ended.add(1, ordering: .relaxed) })
    )
    .controlled(by: Controller(tracked: Tracked(census)))
    .enableAutomaticRunning(onlyWhen: .always)
    let store =
      number.isMultiple(of: 2) ? OperationStore.detached(query.deduplicated()) : OperationStore.detached(query)
    return Subject(store: store, tally: tally)
  }

  /// Exercises a mutation and pages, each with a single owner, in ways that could make their stores leak something.
  private func actOnOthers(_ census: Census, _ random: OperationRandom) async {
    let tracked = Tracked(census)
    let mutation = TestMutation<Int> { number, _ in
      _ = tracked
      await Task.yield()
      if random.uniform() < 0.2 { throw TestError(number: number) }
      return number
    }
    let attempts = OperationStore.detached(mutation.deduplicated())
    let numbers = Numbers { paging, _ in
      _ = tracked
      await Task.yield()
      return "\(paging.pageID)"
    }
    let pages = OperationStore.detached(numbers)
    await withDiscardingTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          let task = attempts.mutateTask(with: number)
          task.start()
          if random.uniform() < 0.3 { task.cancel() }
          _ = try? await task.runIfNeeded()
        }
        group.addTask { _ = try? await pages.fetchNextPage() }
      }
      group.addTask { _ = try? await pages.refetchAllPages() }
    }
    if random.uniform() < 0.1 { attempts.resetState() }
  }

  private func act(
    on store: OperationStore<QueryState<Int, any Error>>, _ census: Census, _ random: OperationRandom
  ) async {
    switch Int(random.uniform() * 8) {
    case 0: _ = try? await store.run()
    case 1:
      let task = store.runTask()
      task.start()
      if random.uniform() < 0.5 { task.cancel() }
    case 2:
      // A subscriber that ends itself and reads the store from its own callback.
      let own = Mutex<OperationSubscription?>(nil)
      let subscription = store.subscribe(
        with: OperationEventHandler(onStateChanged: { _, _ in
          _ = store.subscriberCount
          if random.uniform() < 0.3 { own.withLock { $0 }?.cancel() }
        }))
      own.withLock { $0 = subscription }
      await Task.yield()
      let kept = own.withLock { kept in
        defer { kept = nil }
        return kept
      }
      kept?.cancel()
    case 3: store.resetState()
    case 4: store.setResult(to: random.uniform() < 0.5 ? .success(-1) : .failure(TestError(number: -1)))
    case 5: await actOnOthers(census, random)
    case 6: _ = store.withExclusiveAccess { _ in store.state.valueUpdateCount }
    default:
      let task = Task { _ = try? await store.fetch() }
      if random.uniform() < 0.5 { task.cancel() }
      _ = await task.value
    }
  }

  @Test(
    "Under concurrent use every run ends, no subscriber remains, and nothing is leaked",
    .timeLimit(.minutes(10)))
  func stress() async throws {
    let isFull = getenv("PENSTOCK_SOAK").map { String(cString: $0) == "full" } ?? false
    let census = Census()
    let random = OperationRandom(seed: 20_261_121)
    do {
      let subjects = (0..<Self.stores).map { subject($0, census, random) }
      #expect(census.living == Self.stores * 3)
      // The short form counts steps: on a busy computer a time limit may expire before anything has started.
      let end = ContinuousClock.now + (isFull ? .seconds(20) : .zero)
      await withDiscardingTaskGroup { group in
        for _ in 0..<Self.tasks {
          group.addTask {
            var steps = 0
            while steps < 100 || ContinuousClock.now < end {
              steps += 1
              await act(on: subjects[Int(random.uniform() * Double(Self.stores))].store, census, random)
            }
          }
        }
      }
      for subject in subjects {
        // Cancelled runs end soon without further action. Subscribing to wait for it would start another one.
        while subject.store.state.isLoading { await Task.yield() }
        // Handlers are notified of the end after it has been applied to the state.
        let tally = subject.tally
        while tally.ended.load(ordering: .relaxed) < tally.started.load(ordering: .relaxed), !Task.isCancelled {
          await Task.yield()
        }
        #expect(subject.store.subscriberCount == 0)
        #expect(subject.store.state.activeTasks.isEmpty)
      }
      let started = subjects.reduce(0) { $0 + $1.tally.started.load(ordering: .relaxed) }
      let ended = subjects.reduce(0) { $0 + $1.tally.ended.load(ordering: .relaxed) }
      #expect(started == ended)
      #expect(started > Self.stores)
    }
    // Objects of the last tasks are released when these have ended: soon, but on a busy computer their threads may have to wait.
    for _ in 0..<5_000 where census.living > 0 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(census.living == 0)
  }
}

extension OperationRandom {
  /// Returns a number that is uniform in [0, 1).
  fileprivate func uniform() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
