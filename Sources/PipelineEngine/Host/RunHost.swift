import CProcess
import Glibc
import Operations
import PipelineLanguage
import RunHistory
import Synchronization
import Values
import Workspace

/// What runs pipelines in this process: the event loop, the executor and the writer of the history.
///
/// One host serves any number of runs at once. All members may be called from any thread.
public final class RunHost: Sendable {
  let services: HostServices
  let running = Mutex<[RunID: RunEngine]>([:])
  private let canceller = Mutex<RunCanceller?>(nil)
  let recordedPipelines: RecordedPipelines

  /// What has been recorded.
  public var history: History { services.history }

  init(services: HostServices) {
    self.services = services
    recordedPipelines = RecordedPipelines(plugins: services.plugins.source)
  }

  /// Opens the workspace in `directory`, which is created when it is missing, and starts the event loop.
  ///
  /// Runs whose host is gone are marked as interrupted; where nothing can be written, a host that holds its records begins all the same, and they are marked by
  /// `History.markInterrupted()` when they can be. What signals do to the process stays the program's business: the host's own threads are told of closed
  /// pipes and of limits on file sizes as errors, whatever these signals do elsewhere.
  ///
  /// - Parameters:
  ///   - directory: Where the workspace is.
  ///   - plugins: What the pipelines' `uses` may reach; the same that they were loaded with.
  ///   - durability: What the end of a run survives once it is reported. Default `powerLoss`, for one `fdatasync` a run.
  ///   - configuration: Time, chance, environment and capacity. Default: this process on this machine.
  ///   - patience: How long a transaction waits for one of another process. Default 30 s.
  /// - Returns: The host, whose loop runs.
  /// - Throws: `WorkspaceError`, or ``EngineError`` when the process is out of descriptors or threads.
  public static func open(
    workspace directory: String, plugins: PluginSource = .none, durability: Durability = .powerLoss,
    configuration: HostConfiguration = HostConfiguration(), patience: Duration = .seconds(30)
  ) throws -> RunHost {
    // A run writes always, and reads seldom.
    let history = try History.open(
      at: directory, mode: .readWrite, first: .writer, patience: patience, durability: durability)
    guard !history.workspace.isReadOnly else { throw WorkspaceError.readOnly(path: history.workspace.path) }
    let failure = FailureRelay()
    let recorder = HistoryRecorder(
      workspace: history.workspace, delay: configuration.gathering, heldBytes: configuration.whenWritingFails.heldBytes,
      onRefusal: { failure.report(refusal: $0) }, onLoss: { failure.report(loss: $0) },
      onFailure: { failure.report($0) })
    // Its statements are prepared while this thread goes on.
    recorder.begin()
    do {
      try history.markInterrupted()
    } catch {
      guard configuration.whenWritingFails.heldBytes != nil,
        WorkspaceError.ofWaiting(error, path: history.workspace.path) != nil
      else { throw error }
    }
    let loop = try EventLoop(alarms: configuration.alarms)
    let services = HostServices(
      loop: loop, history: history, recorder: recorder,
      configuration: configuration, plugins: plugins)
    let host = RunHost(services: services)
    failure.connect(
      onFailure: { [weak host] error in host?.historyFailed(error) }, onLoss: { [weak host] run in host?.lost(run) },
      onRefusal: { [weak host] run in host?.refused(run) })
    services.shortages.giveBackSpares = { [weak host] in
      guard let host else { return }
      for engine in host.running.withLock({ Array($0.values) }) { engine.giveBackSpares() }
      host.services.executors.local.giveBackSpares()
      host.services.http.client.giveUpIdleConnections()
    }
    try loop.start()
    return host
  }

  /// Makes this process the parent of whatever operations leave behind, so that the end of a run notices also processes that have
  /// left their operation's session. It concerns the whole process, so the program decides on it, not the library.
  public static func adoptOrphans() {
    // A kernel that refuses leaves the process groups, which are looked after anyway.
    _ = penstock_adopt_orphans()
  }

  /// Runs a pipeline to its end. Cancelling the calling task cancels the run, whose handlers still run.
  ///
  /// - Parameters:
  ///   - pipeline: What to run.
  ///   - options: Its params, and which operations.
  ///   - events: What `onEvent` is called for. Default ``RunEventRange/all``.
  ///   - onEvent: Called on the engine's thread for everything that happens, nested runs included; must return at once.
  /// - Returns: How the run ended. A failed run is an outcome, not an error.
  /// - Throws: ``MissingDependency`` when a selection cannot be executed, `WorkspaceError` or ``EngineError`` when the engine itself could not go on;
  ///   ``EngineError/unrecorded(_:)`` where the run was interrupted, and can be resumed, because its records could not be held: see ``WriteFailurePolicy``.
  public func run(
    _ pipeline: PipelineDefinition, options: RunOptions, events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    try await run(pipeline, options: options, recordedAs: nil, events: events, onEvent: onEvent)
  }

  /// The same with the record of the run, where it is there already and this host's.
  package func run(
    _ pipeline: PipelineDefinition, options: RunOptions, recordedAs record: RunRecord?, startBy: RecordTime? = nil,
    place: RunPlace? = nil, events: RunEventRange = .all, onEvent: (@Sendable (RunEvent) -> Void)? = nil,
    onBegin: (@Sendable () -> Void)? = nil
  ) async throws -> RunOutcome {
    let former = try options.source.flatMap { id in
      let source = try recorded(id)
      return FormerRuns(source: source, plan: RetryPlan(of: pipeline, options: options, from: source))
    }
    if let missing = MissingDependency.find(
      in: pipeline, options: options, former: former?.source?.operations ?? [])
    {
      throw missing
    }
    let engine = RunEngine(
      services: services, pipeline: pipeline,
      RunBrief(
        id: record?.id ?? .generate(at: services.now()), options: options,
        observer: RunObserver(events: events, onEvent: onEvent), queued: record, startBy: startBy, place: place,
        onBegin: onBegin))
    return try await execute(engine, after: former)
  }

  /// Goes on with a run whose host is gone: ends the processes it left behind, keeps every durable result, and executes the rest.
  /// Cancelling the calling task cancels the run. Where `requester` asks for it, that is recorded.
  ///
  /// - Throws: ``RunNotFound``, ``RunNotResumable``, what `run` throws, and ``EngineError/secrets(_:)`` where a secret cannot be read, and
  ///   ``EngineError/processesRemain(_:of:)`` where a process that the former host left running cannot be ended, or ``EngineError/jobsElsewhere(_:of:)`` where it
  ///   may have jobs that this host cannot ask for: then the run stays interrupted.
  public func resume(
    _ id: RunID, for requester: Requester? = nil, version: String = "", events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    try await resume(id, for: requester, version: version, in: nil, events: events, onEvent: onEvent)
  }

  /// The same for a run that has a place among those that go on. Unless somebody asks for it, a run that was to be cancelled is, with its handlers.
  package func resume(
    _ id: RunID, for requester: Requester? = nil, isAskedFor: Bool = false, version: String = "", in place: RunPlace?,
    events: RunEventRange = .all, onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    let recorded = try recorded(id)
    guard recorded.run.state == .interrupted else {
      throw RunNotResumable(id: id, state: recorded.run.state, whereabouts: whereabouts(of: recorded.run))
    }
    let loaded = PipelineLoader.load(
      text: recorded.definition, path: recorded.run.path ?? "recorded.yaml", nested: recorded.nestedDefinitions,
      plugins: services.plugins.source, isRecorded: true)
    guard let pipeline = loaded.pipeline else { throw InvalidPipeline(result: loaded) }
    // What ends with its host is on this machine.
    let elsewhere = try history.executorsWithJobs(of: id, besides: [LocalExecutor.name, services.executors.jobs.name])
    guard elsewhere.isEmpty else { throw EngineError.jobsElsewhere(elsewhere, of: id) }
    let secrets = try await secrets(of: id, pipeline)
    let source = try history.recordedSource(of: recorded.run)
    // Only one process may go on with it.
    guard
      let claimed = try await services.recorder.claim(
        id, for: requester, isAskedFor: isAskedFor, at: services.now())
    else {
      let record = try history.run(id)
      throw RunNotResumable(id: id, state: record?.state ?? .running, whereabouts: record.flatMap(whereabouts))
    }
    let former = recorded.run.owner
    // What another host recorded until the run was claimed counts as well.
    let latest: RecordedRun
    do {
      latest = try self.recorded(id)
    } catch {
      try? await services.recorder.giveUp(id)
      throw error
    }
    var options = RunOptions(recorded: claimed)
    options.version = version
    let engine = RunEngine(
      services: services, pipeline: pipeline,
      RunBrief(
        id: id, options: options, parent: claimed.parent, observer: RunObserver(events: events, onEvent: onEvent),
        place: place),
      formerSecrets: secrets)
    let plan = RetryPlan(of: pipeline, options: options, from: source)
    return try await execute(engine, after: FormerRuns(resumed: latest, source: source, plan: plan), of: former)
  }

  private func recorded(_ run: RunID) throws -> RecordedRun {
    guard let recorded = try history.loadForExecution(run) else { throw RunNotFound(id: run) }
    return recorded
  }

  private func whereabouts(of run: RunRecord) -> String? {
    run.state == .running || run.isUnowned ? run.owner.whereabouts(in: services.history.workspace.directory) : nil
  }

  /// Says who or what cancels the tasks of this host's runs from now on, which is recorded with them. A login name is that of the host where none is given.
  public func attributeCancellations(to canceller: RunCanceller) {
    var canceller = canceller
    if canceller.means == .terminal, canceller.who == nil { canceller.who = services.configuration.user }
    self.canceller.withLock { $0 = canceller }
  }

  /// Kills every process that is running, at once.
  public func kill() {
    let engines = running.withLock { Array($0.values) }
    let canceller = canceller.withLock { $0 }
    services.loop.execute { for engine in engines { engine.assumeIsolated { $0.kill(by: canceller) } } }
  }

  /// To be called by a program that takes SIGTSTP and SIGCONT itself: it is about to be stopped, or goes on. Conditions such as `foreground` follow.
  public func noticeForeground(isStopping: Bool) {
    services.observations.activity.notice(isStopping: isStopping)
  }

  /// Makes everything durable, closes the workspace and ends the event loop. Runs must have ended.
  ///
  /// - Throws: `WorkspaceError` where something cannot be written. Everything is closed all the same.
  public func close() async throws {
    services.loop.execute { [writing = services.writing] in writing.stop() }
    defer {
      services.history.workspace.close()
      services.executors.local.masking.stop()
      services.loop.stop()
    }
    try await services.recorder.close()
  }

  /// For a program that ends now, in place of ``close()``: makes everything durable, and leaves the connections and the event loop to the end of the
  /// process, until which this host is kept. Taking all of them apart first would only take time. Runs must have ended.
  public func finish() async throws {
    // What plugins still have kept is not waited for by a run, and what could not be written is tried once more.
    if services.plugins.hasLentStorage { return try await close() }
    do {
      try await services.recorder.flush()
    } catch {
      return try await close()
    }
    services.history.workspace.settle()
    Self.finished.withLock { $0.append(self) }
  }

  private static let finished = Mutex<[RunHost]>([])

  private func execute(
    _ engine: RunEngine, after former: FormerRuns?, of host: ProcessIdentity? = nil
  ) async throws -> RunOutcome {
    let id = engine.id
    running.withLock { $0[id] = engine }
    defer { running.withLock { $0[id] = nil } }
    // A task of its own: what cancels the caller must not cancel the handlers of the run.
    let execution = Task(executorPreference: services.loop) {
      if let host { try await engine.endFormerProcesses(of: host) }
      return try await engine.run(after: former)
    }
    return try await withTaskCancellationHandler {
      try await execution.value
    } onCancel: {
      let canceller = canceller.withLock { $0 }
      services.loop.execute { engine.assumeIsolated { $0.cancel(.requested, by: canceller) } }
    }
  }

  /// Cancels a run of this host because a later one of its pipeline takes its place. Does nothing where it does not go on.
  package func cancel(_ run: RunID, replacedBy successor: RunID) {
    guard let engine = running.withLock({ $0[run] }) else { return }
    let canceller = RunCanceller(who: successor.text, means: .overlap)
    services.loop.execute { engine.assumeIsolated { $0.cancel(.requested, by: canceller) } }
  }

  /// Another process has taken a run of this host, be it one nested in another: none of the host's runs can be relied on, and each looks for itself.
  private func lost(_ run: RunID) {
    let engines = running.withLock { Array($0.values) }
    services.loop.execute { for engine in engines { engine.assumeIsolated { $0.lose(run) } } }
  }
}

/// Hands the recorder's failure, and the loss and refusal of runs, to the host, which exists only after the recorder.
private final class FailureRelay: Sendable {
  private struct Targets {
    var onFailure: (@Sendable (WorkspaceError) -> Void)?
    var onLoss: (@Sendable (RunID) -> Void)?
    var onRefusal: (@Sendable (RunID) -> Void)?
  }

  private let targets = Mutex(Targets())

  func connect(
    onFailure: @escaping @Sendable (WorkspaceError) -> Void, onLoss: @escaping @Sendable (RunID) -> Void,
    onRefusal: @escaping @Sendable (RunID) -> Void
  ) {
    targets.withLock { $0 = Targets(onFailure: onFailure, onLoss: onLoss, onRefusal: onRefusal) }
  }

  func report(_ error: WorkspaceError) { targets.withLock { $0.onFailure }?(error) }

  func report(loss run: RunID) { targets.withLock { $0.onLoss }?(run) }

  func report(refusal run: RunID) { targets.withLock { $0.onRefusal }?(run) }
}

/// There is no such run in the history.
public struct RunNotFound: Error, Sendable, Hashable, CustomStringConvertible {
  /// The run that was asked for.
  public let id: RunID
  /// What happened, and what to do next.
  public var description: String {
    "there is no run \(id.text) in this workspace; `penstock history list` shows which there are"
  }
}

/// A run is not in a state to go on from.
public struct RunNotResumable: Error, Sendable, Hashable, CustomStringConvertible {
  /// The run that was asked for.
  public let id: RunID
  /// The state it is in.
  public let state: RunState
  /// What is known of the process that runs it: "is running in process 12".
  public var whereabouts: String?
  /// What happened, and what to do next.
  public var description: String {
    switch state {
    case .queued, .running:
      "run \(id.text) \(whereabouts ?? "is running in another process")"
    case .failed, .cancelled:
      "run \(id.text) \(state.rawValue); `penstock retry \(id.text)` runs again what did not succeed"
    default: "run \(id.text) \(state.rawValue); there is nothing left to do"
    }
  }
}

/// A recorded definition does not load with this version.
public struct InvalidPipeline: Error, Sendable {
  /// What the loader found.
  public let result: LoadResult
}

extension InvalidPipeline: CustomStringConvertible {
  /// What happened, with every finding, and what to do next.
  public var description: String {
    let findings = DiagnosticRenderer().render(result.diagnostics, in: result.sources)
    return """
      the definition that was recorded with the run does not load any more; put files that it names back where they were, or use the version that recorded it
      \(findings)
      """
  }
}
