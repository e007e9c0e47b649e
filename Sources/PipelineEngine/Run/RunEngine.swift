import Expressions
import Operations
import PipelineLanguage
import PluginHost
import RunHistory
import Values
import Workspace

// # The engine
//
// Runs one checked pipeline: which operation is ready, what its requirement is, what became of it. An actor on the
// event loop's thread; the data is in `RunProgress`, processes are started through `Executor`, retries, timeouts
// and repetition are those of `Operations`, everything that happens is appended to the `HistoryRecorder` and told to
// whoever watches. Nothing here parses, prints or queries.
//
// What has a rule of its own has an object of its own beside the engine: `RunRecorder` (every change of a state),
// `ReadyQueue` (who is next), `RunLimits` (how much at once), `RunJobs`, `RunWaits`, `RunEnding` (what ends a run
// early), `RunConditions`, `RunPlugins`, `RunSecrets`, `RecordedItems` and `FormerProgress` (what former hosts and runs
// have done).
//
// Read first: `RunEngine.run` (the life of a run), `RunEngine+Scheduling` (who is next), `RunEngine+Attempts` (one
// try), `RunnableAction` (what an attempt does).

/// Executes one run of a pipeline: each of its operations ends exactly once, after all that it depends on, and the run after all of them.
actor RunEngine {
  nonisolated let services: HostServices
  nonisolated let brief: RunBrief
  nonisolated var unownedExecutor: UnownedSerialExecutor { services.loop.asUnownedSerialExecutor() }

  let state: RunProgress
  let recorder: RunRecorder
  let limits: RunLimits
  let queue = ReadyQueue()
  var ending = RunEnding()
  let waits = RunWaits()
  let jobs: RunJobs
  let logs: LogFilePool
  /// What the formulas of the pipeline are made into.
  let conditions: RunConditions
  /// The nested runs that go on, by the operation that each belongs to.
  var children: [Int: RunEngine] = [:]
  let plugins: RunPlugins
  let secrets: RunSecrets
  var recordedItems = RecordedItems()

  nonisolated var id: RunID { brief.id }
  nonisolated var options: RunOptions { brief.options }
  nonisolated var parent: RunRecord.Parent? { brief.parent }
  nonisolated var observer: RunObserver { brief.observer }
  var cancellation: Cancellation? { ending.cancellation }
  var isForced: Bool { ending.isForced }

  /// Listens to the workspace. A run that is over before this has passed needs no listening, whose end alone would cost
  /// it 16 ms.
  private static let watchDelay = Duration.milliseconds(500)

  /// Why a run is being cancelled.
  enum Cancellation: String {
    case requested = "cancelled"
    case timeout = "timeout"
    case history = "history-failed"
    case engine = "engine-failed"
  }

  init(
    services: HostServices, pipeline: PipelineDefinition, _ brief: RunBrief,
    inheritedSecrets: KnownSecrets = KnownSecrets(), formerSecrets: [RunID: [String: String]] = [:],
    hiddenVariables: Set<String> = []
  ) {
    self.services = services
    self.brief = brief
    let (workspace, options) = (services.history.workspace.directory, brief.options)
    state = RunProgress(id: brief.id, pipeline: pipeline, parameters: options.parameters, workspace: workspace)
    state.given.event = options.event ?? .null
    state.given.instant = options.instant
    conditions = RunConditions(run: state, services: services)
    plugins = RunPlugins(run: state, services: services)
    secrets = RunSecrets(
      of: state, inherited: inheritedSecrets, former: formerSecrets, hiddenVariables: hiddenVariables)
    limits = RunLimits(
      slots: pipeline.concurrency ?? max(1, services.configuration.processors),
      resources: pipeline.resources.map(\.capacity), names: pipeline.resources.map(\.name), host: services.limits)
    logs = LogFilePool(workspace: workspace, relative: "runs/\(brief.id.text)")
    jobs = RunJobs(of: state, secrets: secrets, services: services)
    var record = RunRecord(
      id: brief.id, pipeline: pipeline.name, definitionHash: pipeline.source.hash, path: pipeline.source.absolutePath,
      trigger: options.trigger, host: services.configuration.hostName, user: services.configuration.user,
      version: options.version, parent: brief.parent, createdAt: services.now())
    record.controller = options.controller
    record.event = options.event.map(\.text)
    record.instant = options.instant
    recorder = RunRecorder(record, state, jobs: jobs, logs: logs, observer: brief.observer, services: services)
  }

  /// Runs the pipeline to its end, handlers included, and returns when everything is durable.
  ///
  /// - Throws: ``EngineError`` or `WorkspaceError` when the engine itself could not go on. What was recorded until then
  ///   is kept.
  func run(after former: FormerRuns? = nil) async throws -> RunOutcome {
    limits.onWithdrawal = { [unowned self] in assumeIsolated { $0.giveSlots() } }
    recorder.onImpossible = { [unowned self] error in assumeIsolated { $0.fail(with: error) } }
    let isResumed = former?.resumed != nil
    let takenOver = isResumed ? [] : announce(takingOver: former?.source, by: former?.plan)
    if let recorded = former?.resumed { restore(recorded) }
    if let source = former?.source, let plan = former?.plan { noteConditional(source, plan) }
    let timer = services.loop.schedule(after: Self.watchDelay) { [weak self] in
      self?.assumeIsolated { $0.startWatching() }
    }
    defer {
      services.loop.cancelTimer(timer)
      if let timer = ending.timer { services.loop.cancelTimer(timer) }
      limits.close()
      plugins.end()
      if waits.isListening { services.requests.remove(id) }
    }
    var locks: [ExclusiveLocks.Hold] = []
    do {
      if let source = former?.source { try await inheritParts(of: source) }
      if let hold = try await awaitTurn() { locks.append(hold) }
      try await prepare()
    } catch {
      for hold in locks { await services.locks.giveBack(hold) }
      let reason = startFailure(error)
      for ordinal in state.pipeline.operations.indices where !state.instances[ordinal].state.isFinal {
        recorder.conclude(ordinal, .cancelled, .runNotStarted)
      }
      return try await end(as: reason.state, reason: state.given.masker.mask(reason.reason))
    }
    begin(isResumed: isResumed)
    // Durable before the first process starts, so that no process ever belongs to a run that nobody knows of.
    try await services.recorder.flush()
    for ordinal in takenOver { observer.emit(.operation(recorder.operationRecord(ordinal))) }
    if parent == nil { tellOfMissingSecrets() }
    await drive()
    let (outcome, reason) = await runHandlers()
    if !ending.isLost { await endLeftovers() }
    for hold in locks { await services.locks.giveBack(hold) }
    return try await end(as: outcome, reason: reason)
  }

  /// Listens for what other processes ask of this run, and looks for what they have asked already.
  func startWatching() {
    guard !waits.isListening else { return }
    waits.isListening = true
    services.requests.add(
      id,
      RequestRouter.Listener(
        fence: { [unowned self] in assumeIsolated { $0.recorder.run.fence } },
        onRequest: { [weak self] request in self?.assumeIsolated { $0.take(request) } },
        questions: { [unowned self] in assumeIsolated { Set($0.waits.approvals.keys) } },
        onAnswers: { [weak self] ordinals in
          self?.assumeIsolated { for ordinal in ordinals { $0.waits.approvals[ordinal]?.wake() } }
        }))
  }

  // MARK: Beginning

  /// Makes the run known, with its definition and with what it takes over and leaves out: whoever resumes it finds all of that, however soon this host
  /// is gone. Returns the operations that have ended by that.
  private func announce(takingOver source: RecordedRun?, by plan: RetryPlan?) -> [Int] {
    recorder.run.params = parametersText()
    recorder.run.counts = RunCounts(operations: state.pipeline.operations.count)
    recorder.run.origin.source = options.source
    recorder.run.origin.selection = options.selection
    recorder.run.origin.isForced = options.isForced
    let takenOver = source != nil || options.selection != .all ? takeOver(from: source, by: plan) : []
    services.recorder.record(
      .runCreated(
        recorder.run, definition: state.pipeline.source.text,
        nested: state.pipeline.nested.isEmpty ? [:] : state.pipeline.nestedTexts,
        operations: takenOver.map { recorder.operationRecord($0) }))
    observer.emit(.run(recorder.run))
    return takenOver
  }

  /// Waits until the pipeline may run, as its `overlap` says.
  private func awaitTurn() async throws -> ExclusiveLocks.Hold? {
    guard state.pipeline.overlap != .allow else { return nil }
    let name = RunRecord.turn(of: state.pipeline.name)
    if state.pipeline.overlap != .queue,
      let other = try services.history.activeRun(of: state.pipeline.name, except: state.id)
    {
      guard state.pipeline.overlap == .cancel else { throw OverlapSkip(other: other) }
      try services.history.request(.cancel, of: other)
    }
    guard cancellation == nil else { throw CancellationError() }
    // A task of its own, so that `cancel` can end the wait.
    let task = Task(executorPreference: services.loop) { try await self.takeTurn(name) }
    waits.turn = task
    defer { waits.turn = nil }
    return try await task.value
  }

  private func takeTurn(_ name: String) async throws -> ExclusiveLocks.Hold {
    if services.locks.isTaken(name) {
      observer.emit(.notice(state.id, "queued: another run of '\(state.pipeline.name)' is going on"))
    }
    var told: Int32?
    return try await services.locks.take(name, holder: LeaseHolder(run: state.id), watch: services.observations.watch) {
      holder in
      guard told != holder.process else { return }
      told = holder.process
      let other = "\(holder.description) of '\(state.pipeline.name)'"
      observer.emit(.notice(state.id, "queued: \(other) is going on in process \(holder.process)"))
    } noticing: { notice in
      observer.emit(.notice(state.id, notice))
    }
  }

  /// Reads secrets and computes the pipeline's own environment.
  private func prepare() async throws {
    try await prepareSecrets()
    secrets.hideVariables()
    for (name, template) in state.pipeline.environment {
      state.given.environment.append((name, try template.evaluate(in: RunContexts(run: state)).injectedText))
    }
  }

  private func begin(isResumed: Bool) {
    let now = services.now()
    if !isResumed { recorder.enter(.running) }
    if recorder.run.startedAt == nil {
      recorder.run.startedAt = now
      state.times.started = services.clock.monotonic()
    }
    state.times.startedAt = recorder.run.startedAt ?? now
    conditions.notePaths()
    askPlugins()
    if !isResumed {
      services.recorder.record(.runStarted(state.id, at: now))
      observer.emit(.run(recorder.run))
    }
    if let timeout = state.pipeline.timeout {
      ending.timer = services.loop.schedule(after: timeout) { [weak self] in
        self?.assumeIsolated { $0.cancel(.timeout) }
      }
    }
  }

  /// Lets the plugins' specifications begin to tell what they are.
  private func askPlugins() {
    let pipeline = state.pipeline
    guard pipeline.specifications.contains(where: { $0.formula.root.isPlugin }) else { return }
    var formulas: [SpecificationFormula] = []
    for operation in pipeline.operations + pipeline.handlers.map(\.operation) {
      if let gate = operation.gate { formulas.append(gate.formula) }
      if let formula = operation.staleWhen { formulas.append(formula) }
      if let formula = operation.action.kind.specification { formulas.append(formula) }
      formulas += operation.retry.early
    }
    _ = conditions.askPlugins(formulas)
  }

  /// How the run ends that could not begin. What the run itself is not to blame for is thrown, too, when that is recorded.
  private func startFailure(_ error: any Error) -> (state: RunState, reason: String) {
    switch error {
    case let error as OverlapSkip: return (.cancelled, "overlap: run \(error.other.text) is going on")
    case is CancellationError: return (.cancelled, "cancelled")
    case let error as EngineError
    where ["secret-unavailable", "processes-remain", "processes-unknown"].contains(error.code):
      return (.failed, "\(error.code): \(error)")
    case let error as ExpressionError: return (.failed, "env: \(error.message)")
    default:
      ending.failure = ending.failure ?? error
      return (.failed, Cancellation.engine.rawValue)
    }
  }

  // MARK: Ending

  /// Ends the run. The reason has no secret in it: codes and names of operations, or what was masked.
  private func end(as outcome: RunState, reason: String?) async throws -> RunOutcome {
    if !ending.isLost { stopFormerJobs() }
    recorder.stop()
    recorder.enter(outcome)
    recorder.run.reason = reason
    recorder.run.endedAt = recorder.end(of: recorder.run.startedAt, state.times.started)
    recorder.run.counts = counts()
    services.recorder.record(
      .runEnded(
        state.id, state: outcome, reason: recorder.run.reason, counts: recorder.run.counts,
        at: recorder.run.endedAt ?? services.now()))
    // Whoever is told of the end of a run finds it after a power loss; that of a nested one is told of with its parent's.
    if parent == nil { try await services.recorder.flushToDisk() } else { try await services.recorder.flush() }
    // They are those of another host by now.
    if ending.isLost { throw EngineError.runTaken(id) }
    // Others may wait for what became of this run.
    services.history.workspace.announce()
    // Now that it is sure that the history names none of them.
    logs.removeEmpty()
    services.executor.forget(id)
    if !(services.executor is LocalExecutor) { services.local.forget(id) }
    if let failure = ending.failure { throw failure }
    observer.emit(.run(recorder.run))
    var results: [String: JSONValue] = Dictionary(minimumCapacity: state.pipeline.operations.count)
    for ordinal in state.pipeline.operations.indices {
      if case .value(let value) = state.instances[ordinal].result { results[state.instances[ordinal].name] = value }
    }
    return RunOutcome(run: recorder.run, results: results)
  }

  private func counts() -> RunCounts {
    var counts = RunCounts(operations: state.pipeline.operations.count)
    for ordinal in state.pipeline.operations.indices {
      switch state.instances[ordinal].state {
      case .succeeded: counts.succeeded += 1
      case .failed: counts.failed += 1
      case .skipped: counts.skipped += 1
      case .cancelled: counts.cancelled += 1
      case .reused: counts.reused += 1
      case .pending, .waiting, .running, .retrying: break
      }
    }
    return counts
  }

  // MARK: Cancelling

  /// Cancels what is going on; handlers still run. Only the first reason counts.
  func cancel(_ reason: Cancellation) {
    guard ending.cancel(reason) else { return }
    state.status.isCancelled = reason == .requested
    state.times.isTimedOut = reason == .timeout
    waits.turn?.cancel()
    secrets.cancelReading()
    spareWhatAsks()
    for (ordinal, child) in children where isCalledOff(ordinal) { child.assumeIsolated { $0.cancel(reason) } }
    wake()
  }

  /// The engine itself cannot go on, and the run fails as `engine-failed`.
  func fail(with error: any Error) {
    ending.failure = ending.failure ?? error
    cancel(.engine)
  }

  /// The history can't be written: nothing may go on whose result would be lost.
  func historyFailed(_ error: WorkspaceError) {
    ending.failure = error
    cancel(.history)
  }

  private func parametersText() -> String {
    var members: [(String, JSONValue)] = []
    for parameter in state.pipeline.parameters {
      members.append((parameter.name, state.given.parameters[parameter.name] ?? .null))
    }
    return secrets.inherited.masker.mask(JSONValue.object(.init(uniqueKeysWithValues: members)).text)
  }
}
