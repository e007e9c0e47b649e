import Foundation
import Operations
import Synchronization
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("A store of a pipeline") struct PipelineStoreTests {
  /// A pipeline in its own directory, and how often it was run.
  private struct Bench {
    let directory = NSTemporaryDirectory() + "penstock-store-\(UUID().uuidString)"
    let host: RunHost
    let runs = Counter()

    init() throws {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      host = try RunHost.open(workspace: directory + "/workspace")
    }

    func store(_ text: String) throws -> OperationStore<QueryState<RunOutcome, any Error>> {
      let loaded = PipelineLoader.load(text: text, path: directory + "/test.yaml")
      guard let pipeline = loaded.pipeline else { throw InvalidPipeline(result: loaded) }
      return try host.store(for: pipeline, parameters: [:]) { [host, runs] in
        let outcome = try await host.run(pipeline, options: RunOptions())
        runs.increase()
        return outcome
      }
    }

    func create(_ name: String) { _ = FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: nil) }

    func close() async throws {
      try await host.close()
      try FileManager.default.removeItem(atPath: directory)
    }
  }

  /// A counter whose values can be waited for.
  private final class Counter: Sendable {
    private let count = Mutex(0)
    private let (stream, sink) = AsyncStream<Int>.makeStream()

    var value: Int { count.withLock { $0 } }

    func increase() {
      let count = count.withLock { count in
        count += 1
        return count
      }
      sink.yield(count)
    }

    func reaches(_ wanted: Int) async {
      guard value < wanted else { return }
      for await count in stream where count >= wanted { return }
    }
  }

  @Test("runs it when its condition becomes true, while it has a subscriber", .timeLimit(.minutes(10)))
  func reruns() async throws {
    let bench = try Bench()
    let store = try bench.store(
      """
      rerun_on_change: file-exists(go)
      operations: [{ name: a, value: 1 }]
      """)
    try await store.fetch()
    let subscription = store.subscribe(with: OperationEventHandler())
    await bench.runs.reaches(2)
    bench.create("go")
    await bench.runs.reaches(3)
    #expect(store.currentValue?.run.state == .succeeded)
    subscription.cancel()
    #expect(store.subscriberCount == 0)
    try await bench.close()
  }

  @Test("does not repeat a success that is not stale") func staleness() async throws {
    let bench = try Bench()
    let store = try bench.store(
      """
      stale_when: older-than(1h)
      operations: [{ name: a, value: 1 }]
      """)
    #expect(store.isStale)
    try await store.fetch()
    #expect(!store.isStale)
    let subscription = store.subscribe(with: OperationEventHandler())
    #expect(!store.state.isLoading)
    #expect(bench.runs.value == 1)
    subscription.cancel()
    try await bench.close()
  }

  @Test("runs by itself only while `automatic` is true", .timeLimit(.minutes(1))) func automatic() async throws {
    let bench = try Bench()
    let store = try bench.store(
      """
      automatic: file-exists(allowed)
      operations: [{ name: a, value: 1 }]
      """)
    #expect(!store.isAutomaticRunningEnabled)
    let subscription = store.subscribe(with: OperationEventHandler())
    #expect(!store.state.isLoading)
    #expect(bench.runs.value == 0)
    subscription.cancel()
    bench.create("allowed")
    #expect(store.isAutomaticRunningEnabled)
    let second = store.subscribe(with: OperationEventHandler())
    await bench.runs.reaches(1)
    second.cancel()
    // A run begun by the first subscription would be in the history, whether or not it has ended.
    #expect(try bench.host.history.runs().count == 1)
    try await bench.close()
  }

  @Test("has a failed run as its value, and is stale then") func failures() async throws {
    let bench = try Bench()
    let store = try bench.store(
      """
      stale_when: older-than(1h)
      operations: [{ name: a, run: exit 3 }]
      """)
    try await store.fetch()
    #expect(store.currentValue?.run.state == .failed)
    #expect(store.isStale)
    try await bench.close()
  }

  @Test("reports a change between reading a file and starting the watch, but none before")
  func earlierChanges() async throws {
    let bench = try Bench()
    bench.create("before")
    let before = try #require(FileClock.latestChange(atPath: bench.directory + "/before"))
    var moment = before
    // The file system's clock advances by a tick.
    while moment <= before { moment = FileClock.now() }
    bench.create("after")
    let paths = ["before", "gone", "after"].map { "\(bench.directory)/\($0)" }
    for await path in bench.host.changes(of: paths, since: moment) {
      #expect(path == paths[2])
      break
    }
    try await bench.close()
  }
}
