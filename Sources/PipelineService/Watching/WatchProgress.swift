/// How far the watching of one definition has come. While a run goes on nothing is decided: a change of a file, an interruption and what a
/// controller asks for wait for its end, and of these the end comes first, then the new definition, then the next run.
package struct WatchProgress: Sendable {
  /// What has happened.
  package enum Event: Sendable, Hashable {
    /// A run has begun, whoever has asked for it.
    case began
    /// The run has ended, or the one that was expected does not begin.
    case ended
    /// A file of the pipeline has changed.
    case changed(path: String)
    /// A controller asks for a run.
    case asked
    /// `automatic` may have turned true, or nothing runs at first.
    case allowed
    /// Somebody wants the watching to end.
    case interrupted
  }

  /// What is the case beside what has happened.
  package struct Facts {
    /// Whether somebody wants the watching to end.
    package var isInterrupted: Bool
    /// Whether there was a run, or one is beginning.
    package var hasBegun: Bool
    /// Whether `automatic` allows a run. Asked only where that counts.
    package var isAllowed: () -> Bool

    package init(isInterrupted: Bool, hasBegun: Bool, isAllowed: @escaping () -> Bool) {
      self.isInterrupted = isInterrupted
      self.hasBegun = hasBegun
      self.isAllowed = isAllowed
    }
  }

  /// What to do.
  package enum Step: Sendable, Hashable {
    /// Wait: a run goes on.
    case wait
    /// Begin the first run, which `automatic` allows now.
    case begin
    /// End the watching, unless a run has begun meanwhile.
    case stop
    /// Load the files again, unless a run has begun meanwhile.
    case reload(path: String)
    /// Begin the run that a controller asks for; where none does, wait for what comes.
    case rest
  }

  private let waitsForAutomatic: Bool
  private var isRunning: Bool
  private var hasBegunFirst: Bool
  private var changedPath: String?

  /// - Parameters:
  ///   - plan: When the definition runs first.
  ///   - hasBegun: Whether a run has begun already.
  package init(_ plan: WatchPlan, hasBegun: Bool) {
    waitsForAutomatic = plan.waitsForAutomatic
    isRunning = plan.startsAtOnce || hasBegun
    hasBegunFirst = plan.startsAtOnce && !hasBegun
  }

  /// Whether nothing runs, and nothing is about to.
  package var isAtRest: Bool { !isRunning }

  /// Decides what to do after an event.
  package mutating func take(_ event: Event, _ facts: Facts) -> Step {
    switch event {
    case .began: isRunning = true
    case .ended: isRunning = false
    case .changed(let path): changedPath = path
    // What is asked for while a run goes on waits for its end, and an interruption cancels the run, whose end comes.
    case .asked, .interrupted: break
    case .allowed:
      // A first run that was not allowed until now. Later ones are those of `rerun_on_change` and of controllers.
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

  /// The run that a controller asks for is about to begin. Until it has, nothing else is asked for.
  package mutating func beginsAskedRun() { isRunning = true }
}
