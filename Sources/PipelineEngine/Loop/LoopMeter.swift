import Synchronization

/// Measures how late an event loop is. The event loop adds measurements from its own thread; any thread may read them, even while the event loop is stuck.
final class LoopMeter: Sendable {
  private struct State {
    var timers = DurationHistogram()
    var turns = DurationHistogram()
    /// When the current iteration began; nil while the event loop sleeps or is not running.
    var turnBegan: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  /// Notes that the event loop has woken up.
  func beginTurn(_ now: ContinuousClock.Instant) { state.withLock { $0.turnBegan = now } }

  /// Notes that the event loop checks for due work and continues.
  func renewTurn(_ now: ContinuousClock.Instant) {
    state.withLock { state in
      if let began = state.turnBegan { state.turns.add(began.duration(to: now)) }
      state.turnBegan = now
    }
  }

  /// Notes that the event loop goes to sleep or ends.
  func endTurn(_ now: ContinuousClock.Instant) {
    state.withLock { state in
      if let began = state.turnBegan { state.turns.add(began.duration(to: now)) }
      state.turnBegan = nil
    }
  }

  /// Notes that a timer fires that was due at `due`.
  func noteTimer(due: ContinuousClock.Instant, _ now: ContinuousClock.Instant) {
    state.withLock { $0.timers.add(due.duration(to: now)) }
  }

  /// Returns the measurements since the last call, or since the event loop started.
  func take() -> LoopLateness {
    let taken = state.withLock { state in
      defer { (state.timers, state.turns) = (DurationHistogram(), DurationHistogram()) }
      return (timers: state.timers, turns: state.turns)
    }
    return LoopLateness(timers: taken.timers.figures, turns: taken.turns.figures)
  }

  /// Whether the event loop sleeps or is not running.
  var isAsleep: Bool { state.withLock { $0.turnBegan == nil } }

  /// Returns how long the current iteration has lasted; zero while the event loop sleeps.
  func presentTurn(_ now: ContinuousClock.Instant) -> Duration {
    state.withLock { $0.turnBegan.map { max(.zero, $0.duration(to: now)) } ?? .zero }
  }
}
