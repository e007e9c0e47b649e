import RunHistory

/// What becomes of a run while the history cannot be written, and the host holds what is to be recorded.
extension RunEngine {
  /// Waits until something new may begin.
  ///
  /// - Throws: `CancellationError` when the run is cancelled meanwhile.
  func awaitWriting() async throws {
    let writing = run.services.writing
    guard !writing.mayBegin else { return }
    // A task of its own, so that `cancel` can end the wait.
    let task = Task(executorPreference: run.services.loop) { await writing.wait() }
    run.waits.writing = task
    defer { run.waits.writing = nil }
    guard run.cancellation == nil, await task.value, run.cancellation == nil else { throw CancellationError() }
  }

  /// Whether this run, or one nested in it, is `other`.
  private func includesRun(_ other: RunID) -> Bool {
    id == other || run.children.values.contains { $0.includes(other) }
  }

  nonisolated func includes(_ run: RunID) -> Bool { assumeIsolated { $0.includesRun(run) } }

  /// Interrupts the run and those nested in it: as when its host dies, everything ends, handlers are not run, nothing more is recorded, and the run stays
  /// what it was, to be resumed.
  func interrupt(because cause: Interruption) {
    for child in run.children.values { child.end(because: .interrupted(cause)) }
    guard !run.ending.isLost else { return }
    // A wait that began just now is resumed with what is left of it.
    if cause == .left { run.recorder.recordLasting() }
    run.services.recorder.refuse(id)
    endAll(because: cause.error(of: id))
  }

  /// Interrupts the run if everything in it waits and nobody has cancelled it. Returns whether it did.
  func leaveIfResting() -> Bool {
    guard run.cancellation == nil, !run.ending.isLost, run.isResting(countingShortages: true) else { return false }
    interrupt(because: .left)
    return true
  }

  /// Interrupts a run from the queue that has not begun, which puts it back there. Returns whether it did.
  func leaveIfNotBegun() -> Bool {
    guard brief.queued != nil, run.recorder.run.startedAt == nil, run.cancellation == nil, !run.ending.isLost else {
      return false
    }
    interrupt(because: .left)
    return true
  }

  /// Makes the run interrupted, once there is room to record that, and ends it. All of its processes have ended.
  func giveUp(because error: EngineError) async -> EngineError {
    for executor in run.services.executors.all { executor.forget(id) }
    // Where it cannot be recorded, the run is found to be interrupted when this host has ended.
    let isLeft = if case .left = error { true } else { false }
    try? await run.services.recorder.giveUp(id, isLeft: isLeft)
    run.services.history.workspace.announce()
    return error
  }
}
