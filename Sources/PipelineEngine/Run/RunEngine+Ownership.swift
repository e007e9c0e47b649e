import Operations
import RunHistory

/// Whether the run is still this host's. Another process may have taken it while this one was stopped or its machine was asleep, if it could not see that
/// this one lives: from another machine, or from another process namespace.
extension RunEngine {
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
    lose(id)
    throw EngineError.runTaken(id)
  }

  /// The run, or one nested in it, is another host's: everything ends, handlers are not run, and nothing is recorded.
  func lose(_ run: RunID) {
    for child in children.values { child.assumeIsolated { $0.lose(run) } }
    guard run == id, !ending.isLost else { return }
    ending.lose(id)
    waits.ringAll()
    cancel(.engine)
    ending.spareNothing()
    wake()
  }
}

/// The run that another takes results from is not in the workspace any more, so that it cannot be resumed.
public struct SourceMissing: Error, Sendable, Hashable, CustomStringConvertible {
  /// The run that takes over.
  public let run: RunID
  /// The run that it takes over from.
  public let source: RunID
  /// What happened, and what to do next.
  public var description: String {
    "run \(run.text) takes over results of run \(source.text), which is not in this workspace any more; import that run again, or start a new one with `penstock run`"
  }
}

extension History {
  /// What is recorded of the run of which another takes over parts; nil where it takes over none.
  ///
  /// - Throws: ``SourceMissing`` when that run is not in the workspace any more, or `WorkspaceError`.
  func recordedSource(of run: RunRecord) throws -> RecordedRun? {
    guard !run.origin.partial.isEmpty, let source = run.origin.source else { return nil }
    guard let recorded = try loadForExecution(source) else { throw SourceMissing(run: run.id, source: source) }
    return recorded
  }
}
