/// A clock for plugins, with alarms.
///
/// All functions may be called on any thread. Alarms are called on a thread of the clock, with no lock held, and never from within the function
/// that sets them.
public protocol PluginClock: Sendable {
  /// The wall clock in nanoseconds since 1970-01-01T00:00:00Z. May jump.
  func now() -> Int64

  /// Nanoseconds since an arbitrary moment; never goes back.
  func monotonic() -> Int64

  /// Calls `body` once ``now()`` has reached `instant`, even if the clock was set or the computer slept meanwhile; at the latest, when as much time
  /// has passed as `instant` is now ahead. If the clock was set back, `instant` is then still to come.
  func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm

  /// Calls `body` once ``monotonic()`` is `delay` later than now.
  func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm
}

/// An alarm of a ``PluginClock``.
public struct PluginAlarm: Sendable {
  private let end: @Sendable () -> Void

  /// Creates an alarm that `end` cancels; `end` may be called when there is nothing left to cancel.
  public init(end: @escaping @Sendable () -> Void) { self.end = end }

  /// Cancels the alarm. Does not wait if the alarm is already being called.
  public func cancel() { end() }
}

extension Duration {
  /// The whole nanoseconds, saturated to the range of Int64.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowOfSum) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard overflow || overflowOfSum else { return sum }
    return seconds < 0 ? .min : .max
  }

  /// For messages: `10s`, `1.5s`, `200ms`, `10µs`.
  var brief: String {
    let milliseconds = nanoseconds / 1_000_000
    if milliseconds == 0, nanoseconds > 0 { return "\(nanoseconds / 1000)µs" }
    guard milliseconds >= 1000 else { return "\(milliseconds)ms" }
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(Double(milliseconds / 100) / 10)s"
  }
}
