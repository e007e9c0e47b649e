import Operations
import RunHistory

/// Whether the run is still this host's. Another process may have taken it while this one was stopped or its machine was asleep, if it could not see that
/// this one lives: from another machine, or from another process namespace.
extension Run {
  /// How long the last look is relied on. The history refuses what a former host records in any case; this is about what it would start. Shorter than
  /// any process needs to start, find the run and take it: a host that was stopped, or whose machine slept, has always to look again.
  private static let ownershipPeriod = Duration.milliseconds(10)

  /// Makes sure that the run is this host's before something is started: one short query, at most a hundred times a second.
  ///
  /// - Throws: ``EngineError/runTaken(_:)`` where it is another one's, or what the workspace says.
  func requireOwnership() throws {
    let now = services.clock.monotonic()
    if !ending.isLost, let ownedAt = ending.ownedAt, now - ownedAt < Self.ownershipPeriod { return }
    if try !ending.isLost && services.history.isOwned(id, fence: recorder.run.fence) {
      ending.ownedAt = now
      return
    }
    if let loss = ending.loss { throw loss }
    calls.lose(id)
    throw EngineError.runTaken(id)
  }
}
