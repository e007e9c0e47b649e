import Operations
import Synchronization

/// A clock that moves only when it is told to, and a delayer that moves it instead of waiting.
///
/// Its wall clock begins at 1970-01-12T13:46:40Z, a million seconds after the epoch.
public final class ImmediateClock: OperationClock, OperationDelayer {
  private let elapsed = Mutex(Duration.zero)
  /// The delays that were asked for, in order.
  public let delays = Log<Duration>()

  /// A clock at its beginning.
  public init() {}

  /// The beginning and the time since.
  public func now() -> Timestamp { Timestamp(seconds: 1_000_000).advanced(by: monotonic()) }

  /// The time since the beginning.
  public func monotonic() -> Duration { elapsed.withLock { $0 } }

  /// Lets `duration` pass.
  public func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }

  /// Lets `duration` pass and returns; throws in a cancelled task.
  public nonisolated(nonsending) func delay(for duration: Duration) async throws {
    delays.append(duration)
    try Task.checkCancellation()
    advance(by: duration)
  }
}
