import RunHistory
import Workspace

/// What the host does while its history cannot be written: see ``WriteFailurePolicy``.
extension RunHost {
  /// What is in the way of writing the history at present, and how much is held for that; nil while all is well, and where nothing is held.
  public var writeFailure: WriteFailure? { services.writing.failure }

  /// Whether queued runs may be taken: not while something cannot be written, be it that the directory of all runs is not there. Then it is to be asked again.
  package func mayTakeQueued() -> Bool {
    guard services.writing.isHolding else { return true }
    guard services.writing.failure == nil else { return false }
    guard RunsDirectory.errorNumber(in: history.workspace.directory) != nil else { return true }
    services.loop.execute { [writing = services.writing] in writing.noteRuns() }
    return false
  }

  /// For a host that holds records and ends although they cannot be written: interrupts all runs, and lets whoever waits for a record be told that it cannot be written. ``close()`` tries once
  /// more to write what is held.
  public func endHolding() async {
    let engines = running.withLock { Array($0.values) }
    let services = services
    await withCheckedContinuation { continuation in
      services.loop.execute {
        if !services.writing.mayBegin {
          for engine in engines {
            services.writing.noteInterrupted(engine.id)
            engine.assumeIsolated { $0.interrupt(because: .unrecorded) }
          }
        }
        services.writing.stop()
        services.recorder.endHolding()
        continuation.resume()
      }
    }
  }

  /// What the program writes beside runs cannot be written, for which it is tried again: as long as that lasts it counts as what keeps the history from being written.
  package func lacksRoom(_ error: WorkspaceError) {
    services.loop.execute { [services] in services.writing.lackRoom(error) }
  }

  /// That was written, or is given up; to be called once for each time that it lacked room.
  package func foundRoom() { services.loop.execute { [services] in services.writing.foundRoom() } }

  /// [the recorder's thread]
  func historyFailed(_ error: WorkspaceError) {
    services.loop.execute { [self] in
      guard !services.writing.isHolding else { return services.writing.begin(error) }
      for engine in running.withLock({ Array($0.values) }) { engine.assumeIsolated { $0.historyFailed(error) } }
    }
  }

  /// The records of a run, be it one nested in another, no longer fit what is held. [the thread that records]
  func refused(_ run: RunID) {
    services.loop.execute { [self] in
      let engines = running.withLock { Array($0.values) }.filter { $0.includes(run) }
      for engine in engines {
        services.writing.noteInterrupted(engine.id)
        engine.assumeIsolated { $0.interrupt(because: .unrecorded) }
      }
      guard engines.isEmpty else { return }
      // Nobody executes it: it has not begun, or has ended.
      let recorder = services.recorder
      Task { try? await recorder.giveUp(run) }
    }
  }
}
