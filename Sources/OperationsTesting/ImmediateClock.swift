import Operations
import Synchronization

/// A clock that only moves when told to, and a delayer that advances it instead of waiting.
///
/// Its wall clock starts at 1970-01-12T13:46:40Z, a million seconds after the epoch.
public final class ImmediateClock: OperationClock, OperationDelayer {
  private let elapsed = Mutex(Duration.zero)
  /// The requested delays, in order.
  public let delays = Log<Duration>()

  /// Creates a clock at its starting time.
  public init() {}

  /// Returns the starting time plus the elapsed time.
  public func now() -> Timestamp { Timestamp(seconds: 1_000_000).advanced(by: monotonic()) }

  /// Returns the time elapsed since the start.
  public func monotonic() -> Duration { elapsed.withLock { $0 } }

  /// Advances the clock by `duration`.
  public func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }

  /// Advances the clock by `duration` and returns; throws in a cancelled task.
  public nonisolated(nonsending) func delay(for duration: Duration) async throws {
    delays.append(duration)
    try Task.checkCancellation()
    advance(by: duration)
  }
}
