import Operations
import RunHistory

/// Checks whether this host still owns the run. Another process may have claimed it while this one was stopped or its computer was asleep, if that
/// process could not tell that this one is alive, because it runs on another computer or in another process namespace.
extension Run {
  /// How long the latest check is relied on. The history rejects changes from a former host in any case; this is about what that host would start.
  /// Shorter than any process needs to start, find the run and claim it, so a host that was stopped or whose computer slept always checks again.
  private static let ownershipPeriod = Duration.milliseconds(10)

  /// Checks that this host owns the run before something is started: one short query, at most a hundred times a second.
  ///
  /// - Throws: ``EngineError/runTaken(_:)`` if another host owns it, or the workspace's error.
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
