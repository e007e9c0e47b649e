import Operations
import Synchronization

/// A clock that tests move by hand, and its delayer: a delay ends when the clock has been advanced far enough, or by
/// cancellation.
///
/// ```swift
/// let clock = TestClock()
/// context.operationClock = clock
/// context.operationDelayer = clock
/// let value = Task { try await runner.run() }
/// await clock.hasDelays(1)          // the operation is waiting for its retry
/// clock.advance(by: .seconds(2))    // and retries
/// ```
public final class TestClock: OperationClock, OperationDelayer {
  private struct Sleeper {
    let due: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var wallClock: Timestamp
    var elapsed = Duration.zero
    var lastID = 0
    var sleepers: [Int: Sleeper] = [:]
    var watchers: [Watcher] = []

    /// Removes and returns the watchers whose count has been reached.
    mutating func satisfiedWatchers() -> [Watcher] {
      let satisfied = watchers.filter { $0.count <= sleepers.count }
      watchers.removeAll { $0.count <= sleepers.count }
      return satisfied
    }
  }

  private let state: Mutex<State>

  /// Creates a clock that shows `now`; by default 2001-09-09T01:46:40Z, a billion seconds after the epoch.
  public init(now: Timestamp = Timestamp(seconds: 1_000_000_000)) {
    state = Mutex(State(wallClock: now))
  }

  /// Returns the time of the wall clock.
  public func now() -> Timestamp { state.withLock { $0.wallClock } }

  /// Returns the time elapsed through ``advance(by:)``.
  public func monotonic() -> Duration { state.withLock { $0.elapsed } }

  /// The number of pending delays.
  public var delayCount: Int { state.withLock { $0.sleepers.count } }

  /// The remaining durations of the pending delays, shortest first.
  public var remainingDelays: [Duration] {
    state.withLock { state in state.sleepers.values.map { $0.due - state.elapsed }.sorted() }
  }

  /// Advances the clock by `duration` and ends the delays that are then over, earliest first.
  public func advance(by duration: Duration) {
    let over = state.withLock { state in
      state.elapsed += duration
      state.wallClock = state.wallClock.advanced(by: duration)
      let over = state.sleepers.filter { $0.value.due <= state.elapsed }
      for id in over.keys { state.sleepers[id] = nil }
      return over.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
    }
    for (_, sleeper) in over { sleeper.continuation.resume() }
  }

  /// Sets the wall clock, as a person or a time server would; no time elapses.
  public func setWallClock(to now: Timestamp) {
    state.withLock { $0.wallClock = now }
  }

  /// Waits until at least `count` delays are pending; returns immediately if they already are.
  public func hasDelays(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let satisfied = state.withLock { state in
        state.watchers.append(Watcher(count: count, continuation: continuation))
        return state.satisfiedWatchers()
      }
      for watcher in satisfied { watcher.continuation.resume() }
    }
  }

  /// Waits until the clock has been advanced by `duration`; throws `CancellationError` if the task is cancelled.
  public nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let satisfied = state.withLock { state in
          state.sleepers[id] = Sleeper(due: state.elapsed + duration, continuation: continuation)
          return state.satisfiedWatchers()
        }
        for watcher in satisfied { watcher.continuation.resume() }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: Int) {
    let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}

extension OperationContext {
  /// Returns a context that takes time and delays from `clock` and random numbers from `seed`.
  public static func testing<Clock: OperationClock & OperationDelayer>(
    _ clock: Clock, seed: UInt64 = 1
  ) -> OperationContext {
    var context = OperationContext()
    context.operationClock = clock
    context.operationDelayer = clock
    context.operationRandom = OperationRandom(seed: seed)
    return context
  }
}
