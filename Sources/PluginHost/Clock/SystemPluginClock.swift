import CProcess
import Glibc

/// The clocks of the operating system, with one thread for all instants and one for all delays.
///
/// The threads begin with the first alarm of their kind, sleep in the kernel while none is due, and end with the clock. Delays have
/// a thread of their own, so that a plugin that hangs in a timer's callback cannot keep the end of a grace from coming.
public final class SystemPluginClock: PluginClock {
  /// The one that hosts share.
  public static let shared = SystemPluginClock()

  private let instants = AlarmThread(.wall)
  private let delays = AlarmThread(.monotonic)

  /// A clock with threads of its own; hosts share ``shared``.
  public init() {}

  deinit {
    instants.stop()
    delays.stop()
  }

  /// The wall clock.
  public func now() -> Int64 { AlarmThread.Kind.wall.now() }

  /// The clock that never goes back.
  public func monotonic() -> Int64 { AlarmThread.Kind.monotonic.now() }

  /// Calls `body` once the wall clock has reached `instant`, or as much time has passed as that was ahead.
  public func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    instants.add(at: instant, body)
  }

  /// Calls `body` when `delay` has passed.
  public func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    delays.add(at: AlarmThread.Kind.monotonic.now().addingSaturating(delay.nanoseconds), body)
  }
}
