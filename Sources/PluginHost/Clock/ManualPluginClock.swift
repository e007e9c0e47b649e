import Synchronization

/// A clock that stands still until it is advanced, for tests of plugins.
///
/// Due alarms are called on the thread that advances the clock, one at a time in the order of their instants, each while the clock shows its instant.
public final class ManualPluginClock: PluginClock {
  private struct State {
    var now: Int64
    var monotonic: Int64 = 0
    var instants = AlarmQueue()
    var delays = AlarmQueue()

    /// Advances to the next alarm before `end` and returns it, or else advances to `end`.
    mutating func step(to end: Int64) -> AlarmQueue.Body? {
      let rest = end - monotonic
      let untilInstant = instants.next.map { max($0.subtractingSaturating(now), 0) } ?? .max
      let untilDelay = delays.next.map { max($0 - monotonic, 0) } ?? .max
      let step = min(untilInstant, untilDelay, rest)
      now = now.addingSaturating(step)
      monotonic += step
      return delays.popDue(at: monotonic) ?? instants.popDue(at: now)
    }
  }

  private let state: Mutex<State>

  /// Creates a clock at `now`, in nanoseconds since 1970; 2026-01-01T00:00:00Z by default.
  public init(now: Int64 = 1_767_225_600_000_000_000) {
    state = Mutex(State(now: now))
  }

  /// The time of the wall clock.
  public func now() -> Int64 { state.withLock { $0.now } }

  /// The time of the clock that never goes back.
  public func monotonic() -> Int64 { state.withLock { $0.monotonic } }

  /// The number of waiting alarms.
  public var alarmCount: Int { state.withLock { $0.instants.count + $0.delays.count } }

  /// The instant of the next alarm by ``now()``; nil if none waits for an instant.
  public var nextInstant: Int64? { state.withLock { $0.instants.next } }

  /// Calls `body` once the wall clock has reached `instant`, or once as much time has passed as it was ahead.
  public func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    let number = state.withLock { state in
      let deadline = state.monotonic.addingSaturating(instant.subtractingSaturating(state.now))
      return state.instants.add(at: instant, deadline: deadline, body)
    }
    return PluginAlarm { [weak self] in _ = self?.state.withLock { $0.instants.remove(number) } }
  }

  /// Calls `body` when `delay` has passed.
  public func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    let number = state.withLock { state in
      state.delays.add(at: state.monotonic.addingSaturating(delay.nanoseconds), body)
    }
    return PluginAlarm { [weak self] in _ = self?.state.withLock { $0.delays.remove(number) } }
  }

  /// Advances both clocks by `duration`, and calls the alarms that become due.
  public func advance(by duration: Duration) {
    let span = max(duration.nanoseconds, 0)
    let end = state.withLock { $0.monotonic.addingSaturating(span) }
    while let body = state.withLock({ $0.step(to: end) }) { body() }
  }

  /// Sets the wall clock, forwards or backwards, as a person or a time service does, and calls the alarms that are due by it.
  public func set(to now: Int64) {
    state.withLock { state in
      state.now = now
      state.instants.clockWasSet(offset: now.subtractingSaturating(state.monotonic))
    }
    while let body = state.withLock({ $0.instants.popDue(at: $0.now) }) { body() }
  }
}

extension Int64 {
  package func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  package func subtractingSaturating(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
