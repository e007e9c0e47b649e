import Operations
import Synchronization

/// A clock that tests move by hand, and the delayer that goes with it: a delay ends when the clock has been moved far
/// enough, or by cancellation.
///
/// ```swift
/// let clock = TestClock()
/// context.operationClock = clock
/// context.operationDelayer = clock
/// let value = Task { try await runner.run() }
/// await clock.hasDelays(1)          // the operation waits for its retry
/// clock.advance(by: .seconds(2))    // and tries again
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

    /// Takes out the watchers that have seen enough.
    mutating func satisfiedWatchers() -> [Watcher] {
      let satisfied = watchers.filter { $0.count <= sleepers.count }
      watchers.removeAll { $0.count <= sleepers.count }
      return satisfied
    }
  }

  private let state: Mutex<State>

  /// A clock that shows `now`; 2001-09-09T01:46:40Z, a billion seconds after the epoch, by default.
  public init(now: Timestamp = Timestamp(seconds: 1_000_000_000)) {
    state = Mutex(State(wallClock: now))
  }

  /// The wall clock.
  public func now() -> Timestamp { state.withLock { $0.wallClock } }

  /// The time that ``advance(by:)`` has let pass.
  public func monotonic() -> Duration { state.withLock { $0.elapsed } }

  /// How many delays go on.
  public var delayCount: Int { state.withLock { $0.sleepers.count } }

  /// How long the delays that go on still have to go on, the shortest first.
  public var remainingDelays: [Duration] {
    state.withLock { state in state.sleepers.values.map { $0.due - state.elapsed }.sorted() }
  }

  /// Lets `duration` pass, and ends the delays that are over by then, the earliest first.
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

  /// Sets the wall clock, as a person or a time server does: no time passes.
  public func setWallClock(to now: Timestamp) {
    state.withLock { $0.wallClock = now }
  }

  /// Returns once at least `count` delays go on; at once if they do already.
  public func hasDelays(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let satisfied = state.withLock { state in
        state.watchers.append(Watcher(count: count, continuation: continuation))
        return state.satisfiedWatchers()
      }
      for watcher in satisfied { watcher.continuation.resume() }
    }
  }

  /// Returns when the clock has been moved by `duration`; throws `CancellationError` when the task is cancelled.
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
  /// A context whose clock and delays are `clock`, and whose random numbers are those of `seed`.
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
