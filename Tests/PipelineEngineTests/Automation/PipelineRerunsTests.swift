import Foundation
import Operations
import RunHistory
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("Reruns of a pipeline", .timeLimit(.minutes(5))) struct PipelineRerunsTests {
  private struct Ended: Error {}

  /// Whether anything has arrived since the specification was created.
  private struct Since: OperationRunSpecification {
    let arrivals: Arrivals
    let count: Int

    func isSatisfied(in context: OperationContext) -> Bool {
      arrivals.look()
      return arrivals.count > count
    }

    func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
      arrivals.subscribe(onChange)
    }
  }

  /// The events that a condition counts.
  private final class Arrivals: Sendable {
    private struct State {
      var count = 0
      var followers: [Int: @Sendable () -> Void] = [:]
      var last = 0
      var held: (reached: DispatchSemaphore, goesOn: DispatchSemaphore)?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func arrive() {
      let followers = state.withLock { state in
        state.count += 1
        return state.followers.sorted { $0.key < $1.key }.map(\.value)
      }
      for follower in followers { follower() }
    }

    func subscribe(_ onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
      let id = state.withLock { state in
        state.last += 1
        state.followers[state.last] = onChange
        return state.last
      }
      return OperationSubscription { [self] in state.withLock { $0.followers[id] = nil } }
    }

    /// Adds an arrival, and holds the first thread that reads it until `body` has returned.
    func arrive(_ body: () async -> Void) async {
      let (reached, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      state.withLock { $0.held = (reached, goesOn) }
      let thread = Thread { self.arrive() }
      thread.start()
      await withCheckedContinuation { continuation in
        Thread {
          reached.wait()
          continuation.resume()
        }.start()
      }
      await body()
      goesOn.signal()
    }

    func look() {
      guard let held = state.withLock({ $0.held.take() }) else { return }
      held.reached.signal()
      held.goesOn.wait()
    }
  }

  /// A pipeline whose runs end on request.
  private final class Bench: Sendable {
    let arrivals = Arrivals()
    let reruns: PipelineReruns
    let store: OperationStore<QueryState<RunOutcome, any Error>>
    let begun: AsyncStream<CheckedContinuation<RunOutcome, any Error>>
    let refusals = Atomic(0)

    init() throws {
      let (arrivals, context) = (arrivals, OperationContext())
      let (begun, beginnings) = AsyncStream<CheckedContinuation<RunOutcome, any Error>>.makeStream()
      let reruns = try PipelineReruns(in: context) { _ in
        AnyOperationRunSpecification(Since(arrivals: arrivals, count: arrivals.count))
      }
      let query = PipelineQuery(path: ["pipeline", "test"]) {
        reruns.runBegins()
        return try await withCheckedThrowingContinuation { beginnings.yield($0) }
      }
      store = OperationStore.detached(
        query.deduplicated()
          .handleEvents(
            with: OperationEventHandler(onStateChanged: { state, _ in
              if !state.isLoading { reruns.runEnded() }
            })
          )
          .controlled(by: PipelineRerunController(reruns: reruns))
          .enableAutomaticRunning(onlyWhen: AnyOperationRunSpecification(.always)), context: context)
      (self.reruns, self.begun) = (reruns, begun)
      reruns.follow { [weak self] in self?.refusals.add(1, ordering: .relaxed) }
    }

    /// Ends a run, and waits until the store has been updated.
    func end(_ run: CheckedContinuation<RunOutcome, any Error>) async {
      let tasks = store.state.activeTasks
      run.resume(throwing: Ended())
      for task in tasks { _ = try? await task.runIfNeeded() }
    }
  }

  @Test("an event at the moment when a run ends causes a run, and so does an earlier one")
  func together() async throws {
    let bench = try Bench()
    let subscription = bench.store.subscribe(with: OperationEventHandler())
    var runs = bench.begun.makeAsyncIterator()
    let first = try #require(await runs.next())
    bench.arrivals.arrive()
    await bench.arrivals.arrive { await bench.end(first) }
    let second = try #require(await runs.next())
    subscription.cancel()
    await bench.end(second)
  }

  @Test("events during a run cause one more run, however many there are") func meanwhile() async throws {
    let bench = try Bench()
    let subscription = bench.store.subscribe(with: OperationEventHandler())
    var runs = bench.begun.makeAsyncIterator()
    let first = try #require(await runs.next())
    for _ in 0..<3 { bench.arrivals.arrive() }
    await bench.end(first)
    let second = try #require(await runs.next())
    await bench.end(second)
    #expect(!bench.store.state.isLoading)
    bench.arrivals.arrive()
    let third = try #require(await runs.next())
    await bench.end(third)
    #expect(!bench.store.state.isLoading)
    #expect(bench.refusals.load(ordering: .relaxed) == 0)
    subscription.cancel()
    bench.arrivals.arrive()
    #expect(bench.refusals.load(ordering: .relaxed) == 1)
  }

  @Test("are released with their store") func release() async throws {
    weak var reruns: PipelineReruns?
    try await {
      let bench = try Bench()
      reruns = bench.reruns
      // As in a host, whose closure uses the reruns.
      bench.reruns.follow { [reruns = bench.reruns] in _ = reruns.condition }
      let subscription = bench.store.subscribe(with: OperationEventHandler())
      var runs = bench.begun.makeAsyncIterator()
      let first = try #require(await runs.next())
      bench.arrivals.arrive()
      await bench.end(first)
      let second = try #require(await runs.next())
      subscription.cancel()
      await bench.end(second)
    }()
    #expect(reruns == nil)
  }
}
