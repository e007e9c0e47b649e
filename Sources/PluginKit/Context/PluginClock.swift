/// A plugin's clock: the host's, which may be a test's. Use it instead of the system's clocks.
public protocol PluginClock: OperationClock, OperationDelayer {
  /// Returns when the wall clock has reached `instant`, even if it was set or the computer slept meanwhile; at once if `instant` is past. Throws
  /// `CancellationError` when the task is cancelled or the instance ends.
  nonisolated(nonsending) func sleep(until instant: Timestamp) async throws

  /// Returns when the wall clock has reached `instant`, or when as much time has passed as `instant` was ahead, whichever is first.
  ///
  /// For schedules by the calendar: if the clock was set back, `instant` is still to come when this returns. The caller checks
  /// `OperationClock.now()` then, and decides again. Throws as ``sleep(until:)`` does.
  nonisolated(nonsending) func sleep(atMostUntil instant: Timestamp) async throws
}

extension PluginClock {
  /// Sleeps by `OperationDelayer.delay(for:)` until the instant is reached: it does not notice at once when the wall clock is set.
  public nonisolated(nonsending) func sleep(until instant: Timestamp) async throws {
    try Task.checkCancellation()
    while now() < instant { try await delay(for: now().duration(to: instant)) }
  }

  /// Sleeps by `OperationDelayer.delay(for:)` as long as `instant` is ahead: it does not notice when the wall clock is set.
  public nonisolated(nonsending) func sleep(atMostUntil instant: Timestamp) async throws {
    try Task.checkCancellation()
    let rest = now().duration(to: instant)
    if rest > .zero { try await delay(for: rest) }
  }
}

/// The system's clock, for plugin code that runs without a host.
public struct SystemPluginClock: PluginClock {
  /// Creates a clock that reads the system's clocks.
  public init() {}

  /// The time of the wall clock.
  public func now() -> Timestamp { SystemOperationClock().now() }
  /// The time since the process first read this clock.
  public func monotonic() -> Duration { SystemOperationClock().monotonic() }
  /// Sleeps for the duration, including the time while the machine sleeps.
  public nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try await ContinuousDelayer().delay(for: duration)
  }
}
