import CProcess
import Glibc

/// The clocks of the operating system, with one thread for all instants and one for all delays.
///
/// Each thread starts with the first alarm of its kind, sleeps in the kernel while none is due, and ends with the clock. Delays have their own
/// thread, so that a plugin that hangs in a timer's callback cannot hold up the end of a grace period.
public final class SystemPluginClock: PluginClock {
  /// The clock that hosts share.
  public static let shared = SystemPluginClock()

  private let instants = AlarmThread(.wall)
  private let delays = AlarmThread(.monotonic)

  /// Creates a clock with its own threads; hosts share ``shared``.
  public init() {}

  deinit {
    instants.stop()
    delays.stop()
  }

  /// The time of the wall clock.
  public func now() -> Int64 { AlarmThread.Kind.wall.now() }

  /// The time of the clock that never goes back.
  public func monotonic() -> Int64 { AlarmThread.Kind.monotonic.now() }

  /// Calls `body` once the wall clock has reached `instant`, or once as much time has passed as it was ahead.
  public func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    instants.add(at: instant, body)
  }

  /// Calls `body` when `delay` has passed.
  public func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    delays.add(at: AlarmThread.Kind.monotonic.now().addingSaturating(delay.nanoseconds), body)
  }
}
