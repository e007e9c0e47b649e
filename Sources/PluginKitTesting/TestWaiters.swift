import Synchronization

/// Resumes tasks that wait for conditions to become true.
final class TestWaiters: Sendable {
  private typealias Waiter = (condition: @Sendable () -> Bool, continuation: CheckedContinuation<Void, Never>)

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  private struct State {
    var waiting: [Waiter] = []
    /// The number of calls of ``look()``.
    var looks = 0
  }

  private let state = Mutex(State())

  /// Returns when `condition` is true. It is evaluated after each ``look()``, and must not block.
  ///
  /// Also returns when the task is cancelled: a test that has run out of time then fails instead of waiting forever.
  func wait(until condition: @escaping @Sendable () -> Bool) async {
    let isCancelled = Flag()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiting.append(({ isCancelled.isSet || condition() }, continuation)) }
        look()
      }
    } onCancel: {
      isCancelled.set()
      look()
    }
  }

  /// Evaluates the conditions again, since one may have become true.
  func look() {
    state.withLock { $0.looks += 1 }
    while lookOnce() {}
  }

  /// Evaluates the conditions of all waiting tasks. Returns true if ``look()`` was called meanwhile: the conditions that were being evaluated then,
  /// without the lock, since they take locks of their own, were not evaluated for that call.
  private func lookOnce() -> Bool {
    let (all, looks) = state.withLock { state in
      defer { state.waiting = [] }
      return (state.waiting, state.looks)
    }
    var others: [Waiter] = []
    for waiter in all {
      if waiter.condition() { waiter.continuation.resume() } else { others.append(waiter) }
    }
    guard !others.isEmpty else { return false }
    return state.withLock { state in
      state.waiting += others
      return state.looks != looks
    }
  }
}
