import Synchronization

/// The runs of which a recorder takes nothing any more. Any thread.
final class RefusedRuns: Sendable {
  private let runs = Mutex<Set<RunID>>([])
  private let count = Atomic(0)

  /// Whether there are none: one look at memory, as every record asks.
  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  func contains(_ run: RunID) -> Bool { runs.withLock { $0.contains(run) } }

  /// False where it was refused already.
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
