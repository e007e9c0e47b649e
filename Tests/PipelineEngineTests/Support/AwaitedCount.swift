import Synchronization

/// A number that can be waited for. May be used from any thread.
final class AwaitedCount: Sendable {
  private struct Waiter {
    let least: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var count = 0
    var next = 0
    var waiters: [Int: Waiter] = [:]
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }

  func add(_ change: Int) {
    let due = state.withLock { state -> [Waiter] in
      state.count += change
      let due = state.waiters.filter { $0.value.least <= state.count }
      for id in due.keys { state.waiters[id] = nil }
      return Array(due.values)
    }
    for waiter in due { waiter.continuation.resume() }
  }

  /// Waits until the number is at least `least`.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first.
  nonisolated(nonsending) func reaches(_ least: Int) async throws {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.count >= least || state.cancelled.remove(id) != nil { return true }
          state.waiters[id] = Waiter(least: least, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: id)
        if waiter == nil { state.cancelled.insert(id) }
        return waiter
      }
      waiter?.continuation.resume()
    }
    try Task.checkCancellation()
  }
}
