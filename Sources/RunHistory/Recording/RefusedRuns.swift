import Synchronization

/// The runs for which a recorder accepts nothing more. May be used from any thread.
final class RefusedRuns: Sendable {
  private let runs = Mutex<Set<RunID>>([])
  private let count = Atomic(0)

  /// Whether there are none: a single memory access, because every record checks it.
  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  func contains(_ run: RunID) -> Bool { runs.withLock { $0.contains(run) } }

  /// Returns false if it was rejected already.
  @discardableResult
  func insert(_ run: RunID) -> Bool {
    runs.withLock { runs in
      defer { count.store(runs.count, ordering: .releasing) }
      return runs.insert(run).inserted
    }
  }

  func remove(_ run: RunID) {
    runs.withLock { runs in
      runs.remove(run)
      count.store(runs.count, ordering: .releasing)
    }
  }
}
