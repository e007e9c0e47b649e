import CProcess
import Glibc
import Operations
import PipelineLanguage
import RunHistory
import Synchronization
import Values
import Workspace

/// Runs pipelines in this process: owns the event loop, the executor and the history's writer.
///
/// One host executes any number of runs at once. All members may be called from any thread.
public final class RunHost: Sendable {
  let services: HostServices
  let running = Mutex<[RunID: RunEngine]>([:])
  private let canceller = Mutex<RunCanceller?>(nil)
  let recordedPipelines: RecordedPipelines

  /// The history of the workspace.
  public var history: History { services.history }

  init(services: HostServices) {
    self.services = services
    recordedPipelines = RecordedPipelines(plugins: services.plugins.source)
  }

  /// Opens the workspace in `directory`, which is created if it does not exist, and starts the event loop.
  ///
  /// Runs whose host no longer exists are marked as interrupted. If nothing can be written, a host that holds its records starts nevertheless, and
  /// they are marked by `History.markInterrupted()` once that is possible. Signal handling remains the program's responsibility: the host's own
  /// threads receive closed pipes and file size limits as errors, whatever these signals do elsewhere.
  ///
  /// - Parameters:
  ///   - directory: The directory of the workspace.
  ///   - plugins: The plugins that the pipelines' `uses` may refer to; the same that they were loaded with.
  ///   - durability: What the end of a run survives once it is reported. Default `powerLoss`, for one `fdatasync` per run.
  ///   - configuration: Time, randomness, environment and capacity. Default: this process on this computer.
  ///   - patience: How long a transaction waits for one of another process. Default 30 s.
  /// - Returns: The host, whose event loop is running.
  /// - Throws: `WorkspaceError`, or ``EngineError`` if the process is out of descriptors or threads.
  public static func open(
    workspace directory: String, plugins: PluginSource = .none, durability: Durability = .powerLoss,
    configuration: HostConfiguration = HostConfiguration(), patience: Duration = .seconds(30)
  ) throws -> RunHost {
    // A run always writes, and rarely reads.
    let history = try History.open(
      at: directory, mode: .readWrite, first: .writer, patience: patience, durability: durability)
    guard !history.workspace.isReadOnly else { throw WorkspaceError.readOnly(path: history.workspace.path) }
    let failure = FailureRelay()
    let recorder = HistoryRecorder(
      workspace: history.workspace, delay: configuration.gathering, heldBytes: configuration.whenWritingFails.heldBytes,
      onRefusal: { failure.report(refusal: $0) }, onLoss: { failure.report(loss: $0) },
      onFailure: { failure.report($0) })
    // Its statements are prepared while this thread continues.
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

  /// Makes this process the parent of orphaned descendants of operations, so that the end of a run also detects processes that have left their
  /// operation's session. This affects the whole process, so the program decides about it rather than the library.
  public static func adoptOrphans() {
    // If the kernel refuses, process groups are still handled.
    _ = penstock_adopt_orphans()
  }

  /// Runs a pipeline to its end. Cancelling the calling task cancels the run, whose handlers still run.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline to run.
  ///   - options: Its params, and which operations to run.
  ///   - events: The events that `onEvent` is called for. Default `all`.
  ///   - onEvent: Called on the engine's thread for every event, including those of nested runs. Must return immediately.
  /// - Returns: How the run ended. A failed run is an outcome, not an error.
  /// - Throws: ``MissingDependency`` if a selection cannot be executed; `WorkspaceError` or ``EngineError`` if the engine itself could not continue;
  ///   ``EngineError/unrecorded(_:)`` if the run was interrupted, and can be resumed, because its records could not be held: see
  ///   ``WriteFailurePolicy``.
  public func run(
    _ pipeline: PipelineDefinition, options: RunOptions, events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    try await run(pipeline, options: options, recordedAs: nil, events: events, onEvent: onEvent)
  }

  /// Runs a pipeline with an existing record of the run, which this host owns.
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

  /// Resumes a run whose host no longer exists: terminates the processes left behind, keeps every durable result, and executes the rest. Cancelling
  /// the calling task cancels the run. A `requester` is recorded.
  ///
  /// - Throws: ``RunNotFound``, ``RunNotResumable``, the errors of `run`, ``EngineError/secrets(_:)`` if a secret cannot be read,
  ///   ``EngineError/processesRemain(_:of:)`` if a process that the former host left running cannot be terminated, or
  ///   ``EngineError/jobsElsewhere(_:of:)`` if it may have jobs that this host cannot recover. In these cases the run stays interrupted.
  public func resume(
    _ id: RunID, for requester: Requester? = nil, version: String = "", events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    try await resume(id, for: requester, version: version, in: nil, events: events, onEvent: onEvent)
  }

  /// Resumes a run that has a run slot. Unless its resumption was requested explicitly, a run whose cancellation was requested is cancelled, and its
  /// handlers run.
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
    // What ends with its host is on this computer.
    let elsewhere = try history.executorsWithJobs(of: id, besides: services.executors.names)
    guard elsewhere.isEmpty else { throw EngineError.jobsElsewhere(elsewhere, of: id) }
    let secrets = try await secrets(of: id, pipeline)
    let source = try history.recordedSource(of: recorded.run)
    // Only one process may resume it.
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

  /// Sets the person or process that is recorded as the canceller when tasks of this host's runs are cancelled from now on. The login name, if not
  /// given, is the host's.
  public func attributeCancellations(to canceller: RunCanceller) {
    var canceller = canceller
    if canceller.means == .terminal, canceller.who == nil { canceller.who = services.configuration.user }
    self.canceller.withLock { $0 = canceller }
  }

  /// Kills every running process immediately.
  public func kill() {
    let engines = running.withLock { Array($0.values) }
    let canceller = canceller.withLock { $0 }
    services.loop.execute { for engine in engines { engine.assumeIsolated { $0.kill(by: canceller) } } }
  }

  /// Notes that the process is about to be stopped, or continues. To be called by a program that handles SIGTSTP and SIGCONT itself; specifications
  /// such as `foreground` depend on it.
  public func noticeForeground(isStopping: Bool) {
    services.observations.activity.notice(isStopping: isStopping)
  }

  /// Makes everything durable, closes the workspace and ends the event loop. Runs must have ended.
  ///
  /// - Throws: `WorkspaceError` if something cannot be written. Everything is closed nevertheless.
  public func close() async throws {
    services.loop.execute { [writing = services.writing] in writing.stop() }
    defer {
      services.history.workspace.close()
      services.executors.local.masking.stop()
      services.loop.stop()
    }
    try await services.recorder.close()
  }

  /// Makes everything durable, for a program that ends now, instead of ``close()``: connections and the event loop are left to the end of the
  /// process, because dismantling them would only take time. The host is kept until then. Runs must have ended.
  public func finish() async throws {
    // Runs do not wait for what plugins are still storing, and what could not be written is tried once more.
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
    // A separate task: what cancels the caller must not cancel the handlers of the run.
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

  /// Cancels a run of this host because a later one of its pipeline replaces it. Does nothing if it is not running.
  package func cancel(_ run: RunID, replacedBy successor: RunID) {
    guard let engine = running.withLock({ $0[run] }) else { return }
    let canceller = RunCanceller(who: successor.text, means: .overlap)
    services.loop.execute { engine.assumeIsolated { $0.cancel(.requested, by: canceller) } }
  }

  /// Handles the loss of a run, or one nested in another, to another process: none of the host's runs can be relied on, and each checks its own ownership.
  private func lost(_ run: RunID) {
    let engines = running.withLock { Array($0.values) }
    services.loop.execute { for engine in engines { engine.assumeIsolated { $0.lose(run) } } }
  }
}

/// Forwards the recorder's failure, and the loss and rejection of runs, to the host, which is created after the recorder.
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

/// The run does not exist in the history.
public struct RunNotFound: Error, Sendable, Hashable, CustomStringConvertible {
  /// The requested run.
  public let id: RunID
  /// What happened, and what to do next.
  public var description: String {
    "there is no run \(id.text) in this workspace; `penstock history list` lists its runs"
  }
}

/// A run is not in a state from which it can be resumed.
public struct RunNotResumable: Error, Sendable, Hashable, CustomStringConvertible {
  /// The requested run.
  public let id: RunID
  /// The state of the run.
  public let state: RunState
  /// What is known of the process that runs it, such as "is running in process 12".
  public var whereabouts: String?
  /// What happened, and what to do next.
  public var description: String {
    switch state {
    case .queued, .running:
      "run \(id.text) \(whereabouts ?? "is running in another process")"
    case .failed, .cancelled:
      "run \(id.text) \(state.rawValue); `penstock retry \(id.text)` runs the operations that did not succeed"
    default: "run \(id.text) \(state.rawValue); there is nothing to resume"
    }
  }
}

/// A recorded definition cannot be loaded with this version.
public struct InvalidPipeline: Error, Sendable {
  /// The findings of the loader.
  public let result: LoadResult
}

extension InvalidPipeline: CustomStringConvertible {
  /// What happened, with every finding, and what to do next.
  public var description: String {
    let findings = DiagnosticRenderer().render(result.diagnostics, in: result.sources)
    return """
      the recorded definition of the run can no longer be loaded; restore the files that it names, or use the version that recorded it
      \(findings)
      """
  }
}
