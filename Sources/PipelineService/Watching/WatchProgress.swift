/// The progress of watching one definition. Nothing is decided while a run is active: a changed file, an interruption and a controller's request
/// wait for its end. Then an interruption takes precedence, followed by the new definition and the next run.
package struct WatchProgress: Sendable {
  /// Something that has happened.
  package enum Event: Sendable, Hashable {
    /// A run has begun, regardless of its requester.
    case began
    /// The run has ended, or the one that was expected will not begin.
    case ended
    /// A file of the pipeline has changed.
    case changed(path: String)
    /// A controller requests a run.
    case asked
    /// `automatic` may have become true, or nothing runs at first.
    case allowed
    /// The watching is to end.
    case interrupted
  }

  /// The circumstances of an event.
  package struct Facts {
    /// Whether the watching is to end.
    package var isInterrupted: Bool
    /// Whether there was a run, or one is beginning.
    package var hasBegun: Bool
    /// Whether `automatic` allows a run. Evaluated only if it matters.
    package var isAllowed: () -> Bool

    package init(isInterrupted: Bool, hasBegun: Bool, isAllowed: @escaping () -> Bool) {
      self.isInterrupted = isInterrupted
      self.hasBegun = hasBegun
      self.isAllowed = isAllowed
    }
  }

  /// The next step.
  package enum Step: Sendable, Hashable {
    /// Wait: a run is active.
    case wait
    /// Begin the first run, which `automatic` now allows.
    case begin
    /// End the watching, unless a run has begun in the meantime.
    case stop
    /// Reload the files, unless a run has begun in the meantime.
    case reload(path: String)
    /// Begin the run that a controller requests; if none does, wait for the next event.
    case rest
  }

  private let waitsForAutomatic: Bool
  private var isRunning: Bool
  private var hasBegunFirst: Bool
  private var changedPath: String?

  /// - Parameters:
  ///   - plan: When the definition first runs.
  ///   - hasBegun: Whether a run has already begun.
  package init(_ plan: WatchPlan, hasBegun: Bool) {
    waitsForAutomatic = plan.waitsForAutomatic
    isRunning = plan.startsAtOnce || hasBegun
    hasBegunFirst = plan.startsAtOnce && !hasBegun
  }

  /// Whether nothing runs, and nothing is about to.
  package var isAtRest: Bool { !isRunning }

  /// Returns the next step after an event.
  package mutating func take(_ event: Event, _ facts: Facts) -> Step {
    switch event {
    case .began: isRunning = true
    case .ended: isRunning = false
    case .changed(let path): changedPath = path
    // A request made while a run is active waits for its end; an interruption cancels the run, whose end follows.
    case .asked, .interrupted: break
    case .allowed:
      // A first run that was not allowed until now. Later runs are started by `rerun_on_change` and controllers.
      guard waitsForAutomatic, !facts.hasBegun, !hasBegunFirst, !facts.isInterrupted, changedPath == nil,
        facts.isAllowed()
      else { break }
      (isRunning, hasBegunFirst) = (true, true)
      return .begin
    }
    guard !isRunning else { return .wait }
    if facts.isInterrupted { return .stop }
    return changedPath.map { .reload(path: $0) } ?? .rest
  }

  /// Notes that the run that a controller requested is about to begin. Until it has, no other is requested.
  package mutating func beginsAskedRun() { isRunning = true }
}
