import Synchronization

/// The pipelines of which a condition waits for the end of a run, so that a change of the queue concerns only them. Any thread.
final class AwaitedRuns: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  var pipelines: [String] { counts.withLock { Array($0.keys) } }

  /// Notes that a condition waits for another run of the pipeline.
  func add(_ pipeline: String) { counts.withLock { $0[pipeline, default: 0] += 1 } }

  /// Notes that conditions no longer wait for this many runs.
  func remove(_ pipeline: String, _ count: Int = 1) {
    counts.withLock { counts in
      let left = (counts[pipeline] ?? 0) - count
      counts[pipeline] = left > 0 ? left : nil
    }
  }
}
