import RunHistory

/// What a run does while the history cannot be written and the host holds its changes in memory.
extension RunEngine {
  /// Waits until new work may begin.
  ///
  /// - Throws: `CancellationError` if the run is cancelled in the meantime.
  func awaitWriting() async throws {
    let writing = run.services.writing
    guard !writing.mayBegin else { return }
    // A separate task, so that `cancel` can end the wait.
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

  /// Interrupts the run and those nested in it, as if the host had died: everything ends, handlers do not run, nothing more is recorded, and the run
  /// keeps its recorded state, to be resumed.
  func interrupt(because cause: Interruption) {
    for child in run.children.values { child.end(because: .interrupted(cause)) }
    guard !run.ending.isLost else { return }
    // A wait that has just begun is recorded, so that it resumes with its remaining time.
    if cause == .left { run.recorder.recordLasting() }
    run.services.recorder.refuse(id)
    endAll(because: cause.error(of: id))
  }

  /// Interrupts the run if everything in it waits and it is not being cancelled. Returns whether it did.
  func leaveIfResting() -> Bool {
    guard run.cancellation == nil, !run.ending.isLost, run.isResting(leaving: true) else { return false }
    interrupt(because: .left)
    return true
  }

  /// Interrupts a run from the queue that has not begun, which returns it to the queue. Returns whether it was interrupted for that, now or before.
  func leaveIfNotBegun() -> Bool {
    guard brief.queued != nil, run.recorder.run.startedAt == nil else { return false }
    // It does this itself where it is about to begin: see `requireBeginning`.
    if case .left = run.ending.loss { return true }
    guard run.cancellation == nil, !run.ending.isLost else { return false }
    interrupt(because: .left)
    return true
  }

  /// Records the run as interrupted, once there is room for that, and ends it. All of its processes have ended.
  func giveUp(because error: EngineError) async -> EngineError {
    // What executors elsewhere keep is how the next host learns of ends that were not recorded.
    for executor in run.services.executors.all where executor.usesThisMachine { await executor.forget(id) }
    // If it cannot be recorded, the run is found to be interrupted once this host has ended.
    let isLeft = if case .left = error { true } else { false }
    try? await run.services.recorder.giveUp(id, isLeft: isLeft)
    run.services.history.workspace.announce()
    return error
  }
}
