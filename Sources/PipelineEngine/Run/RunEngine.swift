import Expressions
import Operations
import PipelineLanguage
import PluginHost
import RunHistory
import Values
import Workspace

// # The engine
//
// Runs one checked pipeline: determines which operation is ready, what its requirement is, and how it ended. An actor on the event loop's thread. The
// run itself is a `Run`; processes are started through `Executor`; retries, timeouts and repetition come from `Operations`; everything that happens
// is appended to the `HistoryRecorder` and reported to observers. Nothing here parses, prints or queries.
//
// The engine decides what happens next. The parts it decides about, each of which has its own rules, are below it and do not know it: `Run` with its
// recorder, queue, limits, jobs, waits, conditions, plugins and secrets (`State/`), one attempt of one operation (`Attempts/`), and each kind of
// action (`Actions/`).
//
// Read first: `RunEngine.run` (the life of a run), `RunEngine+Scheduling` (which operation is next), `Attempt` (one attempt), `RunnableAction` (what
// an attempt does).

/// Executes one run of a pipeline. Each operation ends exactly once, after everything it depends on, and the run ends after all of them.
actor RunEngine {
  nonisolated let services: HostServices
  nonisolated let brief: RunBrief
  nonisolated var unownedExecutor: UnownedSerialExecutor { services.loop.asUnownedSerialExecutor() }
  let run: Run

  nonisolated var id: RunID { brief.id }

  init(
    services: HostServices, pipeline: PipelineDefinition, _ brief: RunBrief,
    inheritedSecrets: KnownSecrets = KnownSecrets(), formerSecrets: [RunID: [String: String]] = [:],
    hiddenVariables: Set<String> = []
  ) {
    self.services = services
    self.brief = brief
    run = Run(
      services: services, pipeline: pipeline, brief, inheritedSecrets: inheritedSecrets, formerSecrets: formerSecrets,
      hiddenVariables: hiddenVariables
    ) { $0.runnable }
  }

  /// Runs the pipeline to its end, including handlers, and returns when everything is durable.
  ///
  /// - Throws: ``EngineError`` or `WorkspaceError` if the engine itself could not continue. What was recorded until then is kept.
  func run(after former: FormerRuns? = nil) async throws -> RunOutcome {
    connect()
    if let former { run.recordedItems.results = former.results }
    let isResumed = former?.resumed != nil
    let takenOver = isResumed ? [] : announce(takingOver: former?.source, by: former?.plan)
    if let recorded = former?.resumed { RunRestoration(run: run).restore(recorded) }
    if let source = former?.source {
      let takeover = RunTakeover(run: run)
      if let plan = former?.plan { takeover.noteConditional(source, plan) }
      takeover.noteCauses(source, former?.plan)
    }
    let timer = run.services.loop.schedule(after: run.services.configuration.listensAfter) { [weak self] in
      self?.assumeIsolated { $0.run.listen() }
    }
    defer {
      run.services.loop.cancelTimer(timer)
      if let timer = run.ending.timer { run.services.loop.cancelTimer(timer) }
      run.limits.close()
      if run.parent == nil { brief.place?.close() }
      run.plugins.end()
      if run.waits.isListening { run.services.requests.remove(id) }
    }
    var locks: [ExclusiveLocks.Hold] = []
    let begins: RecordTime
    do {
      try requireBeginning()
      try await awaitWriting()
      if let source = former?.source { try await RunTakeover(run: run).inheritParts(of: source) }
      // A run that is only resumed to be cancelled does not wait for `overlap`.
      if former?.resumed?.cancellation == nil, let hold = try await awaitTurn(isResumed: isResumed) {
        locks.append(hold)
      }
      try await prepare()
      begins = try requireBeginning()
    } catch {
      for hold in locks { await run.services.shared.locks.giveBack(hold) }
      let end = startFailure(error)
      for ordinal in run.state.pipeline.operations.indices where !run.state.instances[ordinal].state.isFinal {
        run.recorder.conclude(ordinal, .cancelled(.runNotStarted))
      }
      return try await self.end(as: end)
    }
    begin(isResumed: isResumed, at: begins)
    // Durable before the first process starts, so that no process ever belongs to an unrecorded run.
    try await run.services.recorder.flush()
    for ordinal in takenOver { run.observer.emit(.operation(run.recorder.operationRecord(ordinal))) }
    if run.parent == nil { SecretPreparation(run: run).tellOfMissingSecrets() }
    // Its former host was requested to cancel it, and did not complete that.
    if let cancellation = former?.resumed?.cancellation { take(cancellation) }
    await drive()
    let end = await runHandlers()
    if !run.ending.isTaken { await endLeftovers() }
    for hold in locks { await run.services.shared.locks.giveBack(hold) }
    return try await self.end(as: end)
  }

  /// Terminates the processes that the former host left behind, before the run continues: see ``Run/endFormerProcesses(host:)``.
  func endFormerProcesses(of host: ProcessIdentity) async throws { try await run.endFormerProcesses(host: host) }

  /// Connects the parts of the run to this engine, for what they cannot do themselves.
  private func connect() {
    // Called even when the run no longer needs a slot, as after a cancellation: slots that the host has assigned to it go to the next run.
    run.limits.onWithdrawal = { [queue = run.queue] in queue.wake() }
    if run.parent == nil { brief.place?.isResting = { [weak run] in run?.isResting ?? false } }
    run.recorder.onImpossible = { [unowned self] error in assumeIsolated { $0.fail(with: error) } }
    run.calls.lose = { [unowned self] lost in assumeIsolated { $0.lose(lost) } }
    run.calls.take = { [weak self] request in self?.assumeIsolated { $0.take(request) } }
    let (services, secrets) = (services, run.secrets)
    run.calls.makeChild = { pipeline, brief in
      RunEngine(
        services: services, pipeline: pipeline, brief, inheritedSecrets: secrets.known, formerSecrets: secrets.former,
        hiddenVariables: secrets.hiddenVariables)
    }
  }

  // MARK: Ending

  /// Ends the run.
  private func end(as wanted: RunEnd) async throws -> RunOutcome {
    if !run.ending.isLost { run.jobs.stopFormer() }
    run.recorder.stop()
    let outcome = run.recorder.end(as: wanted).state
    run.recorder.run.canceller = outcome == .succeeded ? nil : run.ending.canceller
    run.recorder.run.endedAt = run.recorder.end(of: run.recorder.run.startedAt, run.state.times.started)
    run.recorder.run.counts = run.state.counts
    run.services.recorder.record(
      .runEnded(
        run.state.id, state: outcome, reason: run.recorder.run.reason, canceller: run.recorder.run.canceller,
        counts: run.recorder.run.counts, at: run.recorder.run.endedAt ?? run.services.now()))
    if let loss = run.ending.loss, !run.ending.isTaken { throw await giveUp(because: loss) }
    // An end that observers are notified of must survive a power loss; a nested run's end is made durable with its parent's.
    if run.parent == nil {
      try await run.services.recorder.flushToDisk()
    } else {
      try await run.services.recorder.flush()
    }
    // The records belong to another host by now.
    if let loss = run.ending.loss { throw run.ending.isTaken ? loss : await giveUp(because: loss) }
    // Other processes may wait for the end of this run.
    run.services.history.workspace.announce()
    // Only now is it certain that the history refers to none of them.
    run.logs.removeEmpty()
    for executor in run.services.executors.all { await executor.forget(id) }
    if let failure = run.ending.failure { throw failure }
    run.observer.emit(.run(run.recorder.run))
    var results: [String: JSONValue] = Dictionary(minimumCapacity: run.state.pipeline.operations.count)
    for ordinal in run.state.pipeline.operations.indices {
      if case .value(let value) = run.state.instances[ordinal].result {
        results[run.state.instances[ordinal].name] = value
      }
    }
    return RunOutcome(run: run.recorder.run, results: results)
  }
}

extension RunEngine: ChildRun {
  /// Returns what failed first, for the message of the run that contains this one.
  func firstFailure() -> String? {
    guard let instance = run.state.instances.first(where: { $0.state == .failed && $0.parent == nil }) else {
      return run.recorder.run.reason
    }
    return "'\(instance.name)' \(instance.failure?.message ?? "failed")"
  }

  nonisolated func isResting(leaving: Bool) -> Bool {
    assumeIsolated { $0.run.isResting(leaving: leaving) }
  }

  nonisolated func giveBackSpares() {
    assumeIsolated { engine in
      engine.run.jobs.giveBackSpares()
      for child in engine.run.children.values { child.giveBackSpares() }
    }
  }

  nonisolated func end(because cause: ChildEnd) {
    assumeIsolated { engine in
      let parent = RunCanceller(who: engine.brief.parent?.run.text, means: .parent)
      switch cause {
      case .cancelled(let reason): engine.cancel(reason, by: parent)
      case .killed: engine.kill(by: parent)
      case .lost(let lost): engine.lose(lost)
      case .interrupted(let cause): engine.interrupt(because: cause)
      }
    }
  }
}
