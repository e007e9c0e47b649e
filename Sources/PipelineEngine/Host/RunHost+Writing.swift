import RunHistory
import Workspace

/// What the host does while its history cannot be written: see ``WriteFailurePolicy``.
extension RunHost {
  /// What currently prevents the history from being written, and how much is held; nil if nothing does, or if the host does not hold records.
  public var writeFailure: WriteFailure? { services.writing.failure }

  /// Returns whether queued runs may be claimed: not while something cannot be written, for example because the directory of all runs is missing. In
  /// that case, call it again later.
  package func mayTakeQueued() -> Bool {
    guard services.writing.isHolding else { return true }
    guard services.writing.failure == nil else { return false }
    guard RunsDirectory.errorNumber(in: history.workspace.directory) != nil else { return true }
    services.loop.execute { [writing = services.writing] in writing.noteRuns() }
    return false
  }

  /// Interrupts all runs of a host that holds records and ends although they cannot be written, and lets everything that waits for a record fail with
  /// an error. ``close()`` tries once more to write what is held.
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

  /// Notes that something the program writes in addition to runs, and retries, cannot be written. While this lasts, the history counts as not writable.
  package func lacksRoom(_ error: WorkspaceError) {
    services.loop.execute { [services] in services.writing.lackRoom(error) }
  }

  /// Notes that it was written or given up. Must be called once for each call of `lacksRoom`.
  package func foundRoom() { services.loop.execute { [services] in services.writing.foundRoom() } }

  /// [the recorder's thread]
  func historyFailed(_ error: WorkspaceError) {
    services.loop.execute { [self] in
      guard !services.writing.isHolding else { return services.writing.begin(error) }
      for engine in running.withLock({ Array($0.values) }) { engine.assumeIsolated { $0.historyFailed(error) } }
    }
  }

  /// Interrupts a run, or one nested in another, whose records no longer fit in memory. [the thread that records]
  func refused(_ run: RunID) {
    services.loop.execute { [self] in
      let engines = running.withLock { Array($0.values) }.filter { $0.includes(run) }
      for engine in engines {
        services.writing.noteInterrupted(engine.id)
        engine.assumeIsolated { $0.interrupt(because: .unrecorded) }
      }
      guard engines.isEmpty else { return }
      // It is not being executed: it has not begun, or has ended.
      let recorder = services.recorder
      Task { try? await recorder.giveUp(run) }
    }
  }
}
