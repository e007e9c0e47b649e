/// The time for a plugin: the host's, which may be a test's. Ask it instead of the system.
public protocol PluginClock: OperationClock, OperationDelayer {
  /// Returns when the wall clock has reached `instant`, also where it was set or the computer slept meanwhile; at once
  /// when it is past. Throws `CancellationError` when the task is cancelled or the instance ends.
  nonisolated(nonsending) func sleep(until instant: Timestamp) async throws

  /// Returns when the wall clock has reached `instant`, or as much time has passed as that was ahead, whichever is first.
  ///
  /// For what goes by the calendar: where the clock was set back, `instant` is still to come when this returns. Whoever calls it
  /// looks at `OperationClock.now()` then, and decides anew. Throws as ``sleep(until:)`` does.
  nonisolated(nonsending) func sleep(atMostUntil instant: Timestamp) async throws
}

extension PluginClock {
  /// Sleeps by `OperationDelayer.delay(for:)` until the time has come: does not notice at once when the wall clock is
  /// set.
  public nonisolated(nonsending) func sleep(until instant: Timestamp) async throws {
    try Task.checkCancellation()
    while now() < instant { try await delay(for: now().duration(to: instant)) }
  }

  /// Sleeps by `OperationDelayer.delay(for:)` as long as `instant` is ahead: does not notice when the wall clock is set.
  public nonisolated(nonsending) func sleep(atMostUntil instant: Timestamp) async throws {
    try Task.checkCancellation()
    let rest = now().duration(to: instant)
    if rest > .zero { try await delay(for: rest) }
  }
}

/// The system's time, for plugin code that runs without a host.
public struct SystemPluginClock: PluginClock {
  /// The system's clocks.
  public init() {}

  /// The wall clock.
  public func now() -> Timestamp { SystemOperationClock().now() }
  /// The time since the process first asked.
  public func monotonic() -> Duration { SystemOperationClock().monotonic() }
  /// Sleeps, also while the machine does.
  public nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try await ContinuousDelayer().delay(for: duration)
  }
}
