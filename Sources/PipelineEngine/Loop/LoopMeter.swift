import Synchronization

/// Measures how late an event loop is. The loop notes, from its own thread; any thread asks, also while the loop is stuck.
final class LoopMeter: Sendable {
  private struct State {
    var timers = DurationHistogram()
    var turns = DurationHistogram()
    /// When the turn that goes on began; nil while the loop sleeps, or does not run.
    var turnBegan: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  /// The loop has woken up.
  func beginTurn(_ now: ContinuousClock.Instant) { state.withLock { $0.turnBegan = now } }

  /// The loop looks for what is due, and goes on.
  func renewTurn(_ now: ContinuousClock.Instant) {
    state.withLock { state in
      if let began = state.turnBegan { state.turns.add(began.duration(to: now)) }
      state.turnBegan = now
    }
  }

  /// The loop goes to sleep, or ends.
  func endTurn(_ now: ContinuousClock.Instant) {
    state.withLock { state in
      if let began = state.turnBegan { state.turns.add(began.duration(to: now)) }
      state.turnBegan = nil
    }
  }

  /// A timer fires that was due at `due`.
  func noteTimer(due: ContinuousClock.Instant, _ now: ContinuousClock.Instant) {
    state.withLock { $0.timers.add(due.duration(to: now)) }
  }

  /// What was measured since this was asked last, or the loop began.
  func take() -> LoopLateness {
    let taken = state.withLock { state in
      defer { (state.timers, state.turns) = (DurationHistogram(), DurationHistogram()) }
      return (timers: state.timers, turns: state.turns)
    }
    return LoopLateness(timers: taken.timers.figures, turns: taken.turns.figures)
  }

  /// Whether the loop sleeps, or does not run.
  var isAsleep: Bool { state.withLock { $0.turnBegan == nil } }

  /// How long the turn that goes on has lasted; zero while the loop sleeps.
  func presentTurn(_ now: ContinuousClock.Instant) -> Duration {
    state.withLock { $0.turnBegan.map { max(.zero, $0.duration(to: now)) } ?? .zero }
  }
}
