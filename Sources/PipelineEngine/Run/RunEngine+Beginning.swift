import Expressions
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// From the first record of a run to its first operation: its `overlap`, its secrets, its environment.
extension RunEngine {
  /// Records the run with its definition, what it reuses and what it leaves out, so that another host can resume it however soon this one ends.
  /// Returns the operations that this ends.
  func announce(takingOver source: RecordedRun?, by plan: RetryPlan?) -> [Int] {
    if run.brief.queued == nil { run.recorder.run.params = parametersText() }
    run.recorder.run.counts = RunCounts(operations: run.state.pipeline.operations.count)
    run.recorder.run.origin.source = run.options.source
    run.recorder.run.origin.selection = run.options.selection
    run.recorder.run.origin.isForced = run.options.isForced
    let takenOver =
      source != nil || run.options.selection != .all ? RunTakeover(run: run).takeOver(from: source, by: plan) : []
    let operations = takenOver.map { run.recorder.operationRecord($0) }
    if run.brief.queued == nil {
      run.services.recorder.record(
        .runCreated(
          run.recorder.run, definition: run.state.pipeline.source.text, nested: run.state.pipeline.recordedTexts,
          operations: operations))
    } else if source != nil || !operations.isEmpty {
      run.services.recorder.record(.queuedRunBegan(run.recorder.run, operations: operations))
    }
    run.observer.emit(.run(run.recorder.run))
    return takenOver
  }

  /// Waits until `overlap` lets the pipeline run. A resumed run has been admitted before: it neither cancels other runs nor gives way to them.
  func awaitTurn(isResumed: Bool) async throws -> ExclusiveLocks.Hold? {
    guard run.state.pipeline.overlap != .allow else { return nil }
    let name = RunRecord.turn(of: run.state.pipeline.name)
    if !isResumed {
      switch run.state.pipeline.overlap {
      case .cancel: try await takePlace()
      case .skip:
        let (history, pipeline, id) = (run.services.history, run.state.pipeline.name, id)
        let others = try await BlockingWork.run { try history.activeRuns(of: pipeline, except: id) }
        if let other = others.first { throw OverlapSkip(other: other.id) }
      case .allow, .queue: break
      }
    }
    guard run.cancellation == nil else { throw CancellationError() }
    // A separate task, so that `cancel` can end the wait.
    let task = Task(executorPreference: run.services.loop) { try await self.takeTurn(name) }
    run.waits.turn = task
    brief.place?.lookSoon()
    defer { run.waits.turn = nil }
    return try await task.value
  }

  /// Requests the cancellation of earlier runs of the pipeline. If a later run is already running, this run is cancelled instead.
  private func takePlace() async throws {
    let (history, pipeline, id, now) = (run.services.history, run.state.pipeline.name, id, run.services.now())
    // Requests are written immediately, which may have to wait for another process.
    let later = try await BlockingWork.run { () -> RunID? in
      // Interrupted runs are read first: one that its host resumes in the meantime is then found among the running ones.
      let interrupted = try history.interruptedRuns(of: pipeline, before: id)
      let active = try history.activeRuns(of: pipeline, except: id)
      if let later = try active.last(where: { try $0.isLater && !history.isToBeCancelled($0.id) }) { return later.id }
      for other in interrupted.map(\.id) + active.filter({ !$0.isLater }).map(\.id)
      where try !history.isToBeCancelled(other) {
        try history.request(.cancel, of: other, for: RunCanceller(who: id.text, means: .overlap), at: now)
      }
      return nil
    }
    if let later { cancel(.requested, by: RunCanceller(who: later.text, means: .overlap)) }
  }

  private func takeTurn(_ name: String) async throws -> ExclusiveLocks.Hold {
    if run.services.shared.locks.isTaken(name) {
      run.observer.emit(.notice(run.state.id, "queued: another run of '\(run.state.pipeline.name)' is running"))
    }
    var told: Int32?
    return try await run.services.shared.locks.take(
      name, holder: LeaseHolder(run: run.state.id), watch: run.services.observations.watch
    ) {
      holder in
      guard told != holder.process else { return }
      told = holder.process
      let other = "\(holder.description) of '\(run.state.pipeline.name)'"
      run.observer.emit(.notice(run.state.id, "queued: \(other) is running in process \(holder.process)"))
    } noticing: { notice in
      run.observer.emit(.notice(run.state.id, notice))
    }
  }

  /// Reads the secrets and computes the pipeline's own environment.
  func prepare() async throws {
    try await SecretPreparation(run: run).prepare()
    run.secrets.hideVariables()
    let templates = run.state.pipeline.environment
    var request = FileReadings.Request(directory: run.state.pipeline.source.directory)
    request.patterns = Set(templates.flatMap(\.value.filePatterns))
    var contexts = RunContexts(run: run.state)
    if !request.isEmpty { contexts.ownReadings = await BlockingWork.run { [request] in FileReadings(request) } }
    for (name, template) in templates {
      run.state.given.environment.append((name, try template.evaluate(in: contexts).injectedText))
    }
  }

  /// Checks that the run may begin now, and returns the current time.
  ///
  /// - Throws: ``LateStart`` if it had to begin earlier, or `CancellationError` if it returns to the queue.
  @discardableResult
  func requireBeginning() throws -> RecordTime {
    if brief.queued != nil, brief.place?.mayBegin == false { interrupt(because: .left) }
    // The run may be interrupted even when it has everything it needs.
    if run.ending.isLost { throw CancellationError() }
    let now = run.services.now()
    if let startBy = brief.startBy, startBy < now { throw LateStart() }
    return now
  }

  /// Cancels the run if it has not begun when `start_within` expires, whatever it is waiting for.
  func leaveOutLate() {
    if run.recorder.run.startedAt == nil { cancel(.late) }
  }

  func begin(isResumed: Bool, at now: RecordTime) {
    if !isResumed { run.recorder.enter(.running) }
    if run.recorder.run.startedAt == nil {
      run.recorder.run.startedAt = now
      run.state.times.started = run.services.clock.monotonic()
    }
    run.state.times.startedAt = run.recorder.run.startedAt ?? now
    run.conditions.notePaths()
    askPlugins()
    if !isResumed {
      run.services.recorder.record(.runStarted(run.state.id, at: now))
      brief.onBegin?()
      run.observer.emit(.run(run.recorder.run))
    }
    if let timeout = run.state.pipeline.timeout {
      run.ending.timer = run.services.loop.schedule(after: timeout) { [weak self] in
        self?.assumeIsolated { $0.cancel(.timeout, by: RunCanceller(means: .timeout)) }
      }
    }
  }

  /// Starts the plugins' specifications, so that they report their values.
  private func askPlugins() {
    let pipeline = run.state.pipeline
    guard pipeline.specifications.contains(where: { $0.formula.root.isPlugin }) else { return }
    var formulas: [SpecificationFormula] = []
    for operation in pipeline.operations + pipeline.handlers.map(\.operation) {
      if let gate = operation.gate { formulas.append(gate.formula) }
      if let formula = operation.staleWhen { formulas.append(formula) }
      if let formula = operation.action.kind.specification { formulas.append(formula) }
      formulas += operation.retry.early
    }
    _ = run.conditions.askPlugins(formulas)
  }

  /// Returns how a run that could not begin ends. Once recorded, errors that are not the run's own fault are thrown too.
  func startFailure(_ error: any Error) -> RunEnd {
    let masker = run.state.given.masker
    switch error {
    case let error as OverlapSkip: return .cancelled(.overlap(error.other))
    case is LateStart: return RunCancellation.late.end
    case is CancellationError:
      return run.cancellation == .late ? RunCancellation.late.end : .cancelled(.cancelledBefore)
    case let error as EngineError
    where ["secret-unavailable", "processes-remain", "processes-unknown"].contains(error.code):
      return .failed(.notBegun(error.code, why: masker.mask("\(error)")))
    case let error as ExpressionError: return .failed(.notBegun("env", why: masker.mask(error.message)))
    default:
      run.ending.failure = run.ending.failure ?? error
      return .failed(.engineFailed)
    }
  }

  private func parametersText() -> String {
    run.secrets.inherited.masker.mask(run.state.pipeline.recordedParameters(run.state.given.parameters))
  }
}

/// The time by which a run must begin has passed.
private struct LateStart: Error {}
