import PipelineEngine
import RunHistory
import Values
import Workspace

/// Ending: from being told to end until the host has ended.
extension PipelineServer {
  /// How often a draining host looks for runs in which everything waits.
  private static let restInterval = Duration.milliseconds(500)

  func drain(_ canceller: RunCanceller) async throws -> Bool {
    switch phase {
    case .starting, .ready:
      tellSignal(canceller, .info, "asks to drain")
      phase = .draining
      agents.endAll()
      // A run that is being taken from the queue also waits for space on the disk.
      await dispatcher.close(waiting: host.writeFailure == nil)
      tellDraining(await dispatcher.leaveWaiting())
      record.state = .draining
      do {
        try history.update(record, with: canceller.signal.map { signalEntry(.drain, $0, by: canceller.who) })
      } catch {
        log.tell(.warning, "draining", "cannot record that it drains: \(error)")
      }
      states.change(to: .draining)
      guard await dispatcher.count > 0 else { return true }
      background.tasks.append(
        Task { [host, states] in
          while (try? await host.delay(for: HostStates.reminder)) != nil { states.change(to: .stillDraining) }
        })
      background.tasks.append(
        Task { [host, dispatcher] in
          while (try? await host.delay(for: Self.restInterval)) != nil {
            _ = await dispatcher.leaveWaiting()
          }
        })
      Task { [dispatcher, mail] in
        await dispatcher.awaitEnd()
        mail.send(.idle)
      }
      background.tasks.append(
        Task { [host, mail, drain = configuration.drain] in
          guard (try? await host.delay(for: drain)) != nil else { return }
          mail.send(.drainTimeout)
        })
      return false
    case .draining:
      tellSignal(canceller, .warning, "while draining: killing active runs, without grace")
      if let signal = canceller.signal {
        note(signalEntry(.drain, "\(signal), which cancels active runs", by: canceller.who))
      }
      let isOver = await cancel(canceller)
      // A second signal means that the sender does not want to wait.
      if !isOver, canceller.signal != nil { host.kill() }
      return isOver
    case .cancelling:
      tellSignal(canceller, .warning, "while draining: killing active runs, without grace")
      host.kill()
      return false
    }
  }

  /// Logs the request of a signal, with its sender if known.
  private func tellSignal(_ canceller: RunCanceller, _ level: HostLog.Level, _ words: String) {
    guard let name = canceller.signal else { return }
    log.tell(level, "drain", "\(name)\(canceller.who.map { " of \($0)" } ?? "") \(words)")
  }

  private func tellDraining(_ runs: Dispatcher.Left) {
    let (running, left, queued) = (runs.going, runs.resting, runs.queued)
    var parts: [String] = []
    if running > 0 {
      let limit = DurationNotation.format(configuration.drain)
      parts.append("\(running) \(running == 1 ? "run continues" : "runs continue") for at most \(limit)")
    }
    if left > 0 {
      parts.append("\(left) \(left == 1 ? "run waits and is" : "runs wait and are") left to the next host")
    }
    if queued > 0 {
      parts.append(
        "\(queued) \(queued == 1 ? "run has not begun and stays" : "runs have not begun and stay") in the queue")
    }
    log.tell(
      .info, "draining", "draining: " + (parts.isEmpty ? "nothing is running" : parts.joined(separator: "; ")))
  }

  func cancel(_ canceller: RunCanceller) async -> Bool {
    phase = .cancelling
    host.attributeCancellations(to: canceller)
    await dispatcher.cancelAll()
    // Their ends could not be recorded: they are interrupted, and left to the next host.
    if host.writeFailure != nil { await host.endHolding() }
    return await dispatcher.count == 0
  }

  func endUpkeep() async {
    let tasks = background.tasks
    background.tasks = []
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  /// Ends the background work, records the end, and closes the workspace.
  ///
  /// - Throws: An error that prevents records of a run from being written. If nothing can be written, the end of the host need not be recorded: the next host finds its process gone.
  func finish(_ lease: Lease) async throws {
    watch.task?.cancel()
    clock = nil
    watch.again?.cancel()
    await endUpkeep()
    agents.endAll()
    let ending = agents.takeEnding()
    for agent in ending { await agent.finish { [host] in host.writeFailure != nil } }
    await publications.conditions.close()
    await publications.controllers.close()
    background.subscriptions = []
    // Nothing waits for space on the disk any more.
    await host.endHolding()
    await tellLostEvents(of: ending)
    let interrupted = host.writeFailure?.interruptedRuns.count ?? 0
    record.state = .stopped
    record.endedAt = host.now()
    var failure: (any Error)?
    do {
      try history.update(record)
      states.change(to: .stopped)
      try await host.release(lease)
    } catch {
      states.change(to: .stopped)
      failure = error
    }
    publications.failures.end()
    log.tell(host.takeLateness())
    // Throws if records of runs are left.
    try await service.close()
    if let failure {
      guard WorkspaceError.ofWaiting(failure, path: history.workspace.path) != nil else { throw failure }
      log.tell(.warning, "stopped", "cannot record that it has stopped: \(failure)")
    }
    guard interrupted == 0 else { throw ServerError.unrecorded(runs: interrupted) }
    log.tell(.info, "stopped", "stopped")
  }

  /// Ends the recording of what controllers of ended agents reported, and logs what is lost.
  private func tellLostEvents(of agents: [PipelineAgent]) async {
    for agent in agents {
      let lost = await agent.giveUp()
      guard lost > 0 else { continue }
      log.tell(
        .error, "occasion",
        "lost \(lost) \(lost == 1 ? "event" : "events") of the triggers of '\(agent.pipeline.name)', which cannot be recorded; "
          + "instants among them will be reported again", pipeline: agent.pipeline.name)
    }
  }

  /// Watches for the workspace being deleted or moved.
  func watchWorkspace() {
    let changes = host.changes(of: [history.workspace.companionPath]) { [mail] in mail.send(.workspaceChanged) }
    background.tasks.append(Task { [mail] in for await _ in changes { mail.send(.workspaceChanged) } })
  }

  /// Ends everything if the workspace was deleted, moved or replaced: nobody would find what is recorded now, and another host may serve a new workspace in its place.
  ///
  /// - Throws: `WorkspaceError.moved`, the error with which the host ends.
  func requireWorkspace() async throws {
    do throws(WorkspaceError) {
      try history.workspace.requirePlace()
    } catch {
      guard case .moved = error else { return }
      let count = await dispatcher.count
      if count > 0 {
        log.tell(
          .error, "workspace-moved", "ending \(count) \(count == 1 ? "run" : "runs"), because the workspace is gone")
      }
      phase = .cancelling
      await dispatcher.close(waiting: false)
      await dispatcher.cancelAll()
      host.kill()
      await dispatcher.awaitEnd()
      throw error
    }
  }
}
