import Operations
import Synchronization

/// A clock whose wall part tests set. Delays pass immediately, and the wall clock may be set during the next one.
final class SettableClock: OperationClock, OperationDelayer {
  private struct Times {
    var wall = Duration.seconds(1_800_000_000)
    var monotonic = Duration.seconds(10)
    var jumpInDelay = Duration.zero
    var delays: [Duration] = []
  }

  private let times = Mutex(Times())

  /// The requested delays, in order.
  var delays: [Duration] { times.withLock { $0.delays } }

  func now() -> Timestamp {
    let (seconds, attoseconds) = times.withLock { $0.wall }.components
    return Timestamp(seconds: seconds, nanoseconds: attoseconds / 1_000_000_000)
  }

  func monotonic() -> Duration { times.withLock { $0.monotonic } }

  /// Sets the wall clock, as a person or a time server does: no time passes.
  func set(by jump: Duration) { times.withLock { $0.wall += jump } }

  func pass(_ time: Duration) {
    times.withLock { times in
      times.wall += time
      times.monotonic += time
    }
  }

  /// Sets the wall clock during the next delay.
  func setInNextDelay(by jump: Duration) { times.withLock { $0.jumpInDelay = jump } }

  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
    times.withLock { times in
      times.wall += duration + times.jumpInDelay
      times.jumpInDelay = .zero
      times.monotonic += duration
      times.delays.append(duration)
    }
    await Task.yield()
  }
}
