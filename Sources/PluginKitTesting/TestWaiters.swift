import Synchronization

/// Wakes those who wait for something to become true.
final class TestWaiters: Sendable {
  private let waiting = Mutex<[(condition: @Sendable () -> Bool, continuation: CheckedContinuation<Void, Never>)]>([])

  /// Returns when `condition` is true; it is asked again after each ``look()``, and must not wait for anything itself.
  func wait(until condition: @escaping @Sendable () -> Bool) async {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0.append((condition, continuation)) }
      look()
    }
  }

  /// Something may have become true.
  func look() {
    let all = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    // Asked without the lock, since conditions take locks of their own.
    var others: [(condition: @Sendable () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    for waiter in all {
      if waiter.condition() { waiter.continuation.resume() } else { others.append(waiter) }
    }
    guard !others.isEmpty else { return }
    waiting.withLock { $0 += others }
  }
}
