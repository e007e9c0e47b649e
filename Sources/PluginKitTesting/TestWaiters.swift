import Synchronization

/// Wakes those who wait for something to become true.
final class TestWaiters: Sendable {
  private typealias Waiter = (condition: @Sendable () -> Bool, continuation: CheckedContinuation<Void, Never>)

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  private struct State {
    var waiting: [Waiter] = []
    /// How often it was said that something may have become true.
    var looks = 0
  }

  private let state = Mutex(State())

  /// Returns when `condition` is true; it is asked again after each ``look()``, and must not wait for anything itself.
  ///
  /// Returns too when the task is cancelled: a test whose time is over fails then, instead of waiting for ever.
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

  /// Something may have become true.
  func look() {
    state.withLock { $0.looks += 1 }
    while lookOnce() {}
  }

  /// Asks all who wait. True when somebody has said meanwhile that something may have become true: those who were being asked at that time,
  /// without the lock, since conditions take locks of their own, were not asked by that one.
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
