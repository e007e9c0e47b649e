/// Tells plugins the time, and wakes them.
///
/// All functions may be called on any thread. What is to be called is called on a thread of the clock's own, under no lock, and
/// never from within the function that asked for it.
public protocol PluginClock: Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z. May jump.
  func now() -> Int64

  /// Nanoseconds since a moment of its own; never goes back.
  func monotonic() -> Int64

  /// Calls `body` once ``now()`` has reached `instant`, also where the clock was set or the computer slept meanwhile; at the latest when as
  /// much time has passed as `instant` is ahead now: then the clock was set back, and `instant` is still to come.
  func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm

  /// Calls `body` once ``monotonic()`` is `delay` later than now.
  func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm
}

/// Names what a ``PluginClock`` is to call.
public struct PluginAlarm: Sendable {
  private let end: @Sendable () -> Void

  /// An alarm that `end` takes back; it may be called when there is nothing to take back any more.
  public init(end: @escaping @Sendable () -> Void) { self.end = end }

  /// Takes the alarm back. It may be too late for that: what is being called is not waited for.
  public func cancel() { end() }
}

extension Duration {
  /// The whole nanoseconds; as many as fit where they are more.
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
