import CPluginKit
import PluginKit
import Synchronization

/// The clock of a ``TestPluginHost``, which stands still until a test advances it.
public final class TestHostClock: Sendable {
  private struct Timer: @unchecked Sendable {
    // @unchecked: the context is only passed back to its owner, once.

    let instance: penstock_id
    let instant: Timestamp
    /// The latest time at which it fires, by the monotonic clock.
    let deadline: Duration
    let fire: penstock_timer_callback
    let context: UnsafeMutableRawPointer?
    /// Whether it was cancelled, and is about to be called with that status.
    var isCancelled = false
  }

  private struct State {
    var now: Timestamp
    var monotonic = Duration.zero
    var lastTimer: UInt64 = 0
    var timers: [UInt64: Timer] = [:]
  }

  private let state: Mutex<State>
  private let waiters = TestWaiters()

  init(now: Timestamp) { state = Mutex(State(now: now)) }

  /// The time of the wall clock.
  public var now: Timestamp { state.withLock { $0.now } }

  /// The time that has passed.
  public var monotonic: Duration { state.withLock { $0.monotonic } }

  /// The instants of the timers that are set, the earliest first.
  public var timers: [Timestamp] {
    state.withLock { $0.timers.values.filter { !$0.isCancelled }.map(\.instant).sorted() }
  }

  /// Returns when at least `count` timers are set, that is, when the plugin waits.
  public func hasTimers(_ count: Int = 1) async {
    await waiters.wait { [self] in timers.count >= count }
  }

  /// Returns when a timer is set for exactly `instant`.
  public func hasTimer(at instant: Timestamp) async {
    await waiters.wait { [self] in timers.contains(instant) }
  }

  /// Advances the time by `duration` in one step, and fires the timers that are due, the earliest first.
  public func advance(by duration: Duration) {
    state.withLock { state in
      state.now = state.now.advanced(by: duration)
      state.monotonic += duration
    }
    fireDueTimers()
  }

  /// Sets the wall clock, as a person or a time server does, and fires the timers that are due.
  ///
  /// After the clock is set back, a timer fires when as much time has passed as its instant was ahead when the timer was set: see ``advance(by:)``.
  public func setWallClock(to now: Timestamp) {
    state.withLock { $0.now = now }
    fireDueTimers()
  }

  private func fireDueTimers() {
    let due = state.withLock { state in
      let due = state.timers.filter { _, timer in
        !timer.isCancelled && (timer.instant <= state.now || timer.deadline <= state.monotonic)
      }
      for id in due.keys { state.timers[id] = nil }
      return due.sorted { ($0.value.instant, $0.key) < ($1.value.instant, $1.key) }
    }
    for (_, timer) in due { timer.fire(timer.context, penstock_status(PENSTOCK_OK)) }
  }

  func add(
    _ instance: penstock_id, at instant: Int64, _ fire: @escaping penstock_timer_callback,
    _ context: UnsafeMutableRawPointer?
  ) -> UInt64 {
    let instant = Timestamp(seconds: 0, nanoseconds: instant)
    let (id, isDue) = state.withLock { state in
      let deadline = state.monotonic + state.now.duration(to: instant)
      let timer = Timer(instance: instance, instant: instant, deadline: deadline, fire: fire, context: context)
      state.lastTimer += 1
      state.timers[state.lastTimer] = timer
      return (state.lastTimer, timer.instant <= state.now)
    }
    waiters.look()
    // Never from within this call, as the contract requires.
    if isDue { Task { self.fireDueTimers() } }
    return id
  }

  func cancel(_ id: UInt64) {
    state.withLock { $0.timers[id]?.isCancelled = true }
    // Never from within this call, as the contract requires.
    Task { self.end(id) }
  }

  private func end(_ id: UInt64) {
    let timer = state.withLock { $0.timers.removeValue(forKey: id) }
    timer?.fire(timer?.context, penstock_status(PENSTOCK_ENDED))
  }

  func cancelAll(of instance: penstock_id) {
    let ids = state.withLock { state in state.timers.filter { $0.value.instance == instance }.keys.sorted() }
    for id in ids { end(id) }
  }
}
