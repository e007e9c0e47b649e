import Operations
import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory
import Values
import Workspace

/// A host that serves the pipelines at some paths on one workspace: from the moment at which it is the workspace's host to the end of its last run.
///
/// One at a time serves a workspace. What it must not lose is in the workspace before it acts on it, so that it can be killed at any moment.
package actor PipelineServer {
  /// What it hears.
  package typealias Signal = HostSignal

  /// How often the end of changes is waited for, each time as long as a file must be left alone.
  private static let mostSettlings = 10

  private enum Phase { case starting, ready, draining, cancelling }

  /// What goes on beside the runs, until the host ends.
  private struct Background {
    var subscriptions: [Subscription] = []
    var tasks: [Task<Void, Never>] = []
  }

  /// The folders and files whose changes are heard of.
  private struct FileWatch {
    var paths: Set<String> = []
    var task: Task<Void, Never>?
    /// Looks again where not everything could be looked at.
    var again: Task<Void, Never>?
  }

  private var configuration: ServerConfiguration
  private let log: HostLog
  nonisolated let service: RunService
  private let mail = HostMail()
  private var phase = Phase.starting
  private var record: HostRecord
  private var catalog: PipelineCatalog
  private var agents: [String: PipelineAgent] = [:]
  private let dispatcher: Dispatcher
  private let states: HostStates
  private var watch = FileWatch()
  private var background = Background()
  private let forecasts: Forecasts
  private let conditions: ConditionPublisher
  private let retention: RetentionKeeper
  private let status: StatusTeller?
  private var clock: ClockWatch?

  private var host: RunHost { service.host }
  private var history: History { service.history }

  /// Opens the workspace, which is created when it is missing.
  ///
  /// - Throws: `WorkspaceError`, or `EngineError`.
  package init(_ configuration: ServerConfiguration, log: HostLog, states: HostStates = HostStates()) throws {
    self.configuration = configuration
    self.log = log
    self.states = states
    let service = try RunService(creatingAt: configuration.location, configuration.service.holding(tellingOf: log))
    self.service = service
    conditions = ConditionPublisher(host: service.host)
    forecasts = Forecasts(host: service.host, plugins: configuration.service.plugins)
    let relay = RunRelay(log: log)
    dispatcher = Dispatcher(
      host: service.host, limits: Dispatcher.Limits(runs: configuration.runs, queues: configuration.queues),
      events: relay.events)
    catalog = PipelineCatalog(
      paths: configuration.paths, of: configuration.definition, plugins: configuration.service.plugins,
      host: service.host, version: configuration.version)
    status = states.onStatus.map { [dispatcher] in
      StatusTeller(of: service.host, running: { await dispatcher.count }, $0)
    }
    retention = RetentionKeeper(
      host: service.host, log: log, otherwise: configuration.definition.retention,
      isBusy: { [dispatcher] in await dispatcher.count > 0 })
    let whereabouts = service.host.whereabouts
    record = HostRecord(
      host: whereabouts.host, user: whereabouts.user, version: configuration.version, startedAt: service.host.now(),
      configuration: configuration.json.text)
    relay.connect { [weak self] run in Task { await self?.ended(run) } }
  }

  /// Tells the host something, from any thread.
  package nonisolated func send(_ signal: Signal) { mail.send(signal) }

  /// Serves until it is drained, and closes the workspace.
  ///
  /// - Throws: ``ServerError``, or what the engine and the workspace throw.
  package func run() async throws {
    if let (interval, beat) = states.pulse {
      let pulse = HostPulse(of: host, every: interval, beat)
      background.tasks.append(Task { await pulse.run() })
    }
    let lease = try await takeLease()
    do {
      try await start()
      for await signal in mail.signals where try await handle(signal) { break }
      try await finish(lease)
    } catch {
      clock = nil
      await endUpkeep()
      await conditions.close()
      await host.endHolding()
      _ = try? await host.release(lease)
      try? await service.close()
      throw error
    }
  }

  // MARK: Starting

  private func takeLease() async throws -> Lease {
    let holder = "the host in process \(record.owner.pid) on \(record.host)"
    switch try await host.lease(HostRecord.lease, holder: holder) {
    case .granted(let lease): return lease
    case .held(let lease):
      guard configuration.isStandby else {
        let error = ServerError.served(by: lease, workspace: configuration.location.path)
        try? await service.close()
        throw error
      }
      states.change(to: .standby(lease.holder))
      log.tell(.info, "standby", "waiting for the end of \(lease.holder)")
      let wait = Task { [host] in
        try await host.waitForLease(HostRecord.lease, holder: holder) { _, _ in }
      }
      // A host that waits can be told to end.
      mail.interceptDrain { wait.cancel() }
      defer { mail.interceptDrain(nil) }
      return try await wait.value
    }
  }

  private func start() async throws {
    record.startedAt = host.now()
    record.number = try history.add(record)
    try history.declare(resources: configuration.service.capacity.resources)
    log.tell(.info, "starting", "serving '\(configuration.location.path)' in process \(record.owner.pid)")
    // What the former host had taken and not begun, and runs that it has left.
    let interrupted = try history.interruptedRuns()
    // What was asked of the former host is not asked of this one, but for runs that somebody wants to be resumed.
    let wanted = try history.takeHostRequests(at: host.now()).filter { $0.request == .resume }
    background.subscriptions.append(try history.followHostRequests { [mail] in mail.send(.requests) })
    background.subscriptions += try history.followQueue { [weak self, dispatcher] in
      Task {
        await dispatcher.notice()
        await self?.queueChanged()
      }
    }
    clock = host.watchClock { [mail] in mail.send(.clockSet($0)) }
    let served = try await look(isFirst: true)
    let wantedRuns = Set(wanted.compactMap(\.run))
    await restore(interrupted.filter { !wantedRuns.contains($0.id) })
    for asked in wanted { await resume(asked) }
    // What goes on is in the way of what is told of from now on.
    begin(served, isFirst: true)
    await dispatcher.open()
    phase = .ready
    record.state = .ready
    record.readyAt = host.now()
    try history.update(record)
    let problems = catalog.problemCount
    log.tell(
      .info, "ready",
      "ready: \(catalog.pipelines.count) \(catalog.pipelines.count == 1 ? "pipeline" : "pipelines")"
        + (problems > 0 ? ", \(problems) of the files are invalid" : ""))
    states.change(to: .ready)
    background.tasks.append(Task { [retention] in await retention.run() })
    if let status { background.tasks.append(Task { await status.run() }) }
  }

  /// Deals with the runs whose host has gone, as their pipelines say.
  private func restore(_ interrupted: [RunRecord]) async {
    for run in interrupted {
      let pipeline = catalog.pipeline(run.pipeline)
      switch pipeline?.outline.scheduling.onRestart ?? configuration.onRestart {
      case .leave:
        log.tell(
          .warning, "run-left", "run \(run.id.short) of '\(run.pipeline)' stays interrupted", pipeline: run.pipeline,
          run: run.id)
      case .fail:
        do {
          try await host.fail(run)
          log.tell(
            .warning, "run-failed", "run \(run.id.short) of '\(run.pipeline)' has failed: its host was gone",
            pipeline: run.pipeline, run: run.id)
        } catch {
          log.tell(
            .error, "run-left", "run \(run.id.short) stays interrupted: \(error)", pipeline: run.pipeline,
            run: run.id)
        }
      case .resume:
        log.tell(
          .info, "run-resumed", "resuming run \(run.id.short) of '\(run.pipeline)'", pipeline: run.pipeline, run: run.id
        )
        let version = configuration.version
        await dispatcher.run(run, in: pipeline?.outline.scheduling.queue ?? QueuedRun.defaultQueue) {
          [host] in try await host.resume(run.id, version: version, in: $0)
        }
      }
    }
  }

  /// Resumes a run that somebody wants to be resumed.
  private func resume(_ asked: AskedOfHost) async {
    guard let id = asked.run, let found = try? history.run(id), await !dispatcher.has(id) else { return }
    let person = asked.who.map { " by \($0)" } ?? ""
    log.tell(
      .info, "run-resumed", "asked\(person) to resume run \(id.short) of '\(found.pipeline)'", pipeline: found.pipeline,
      run: id)
    let queue = catalog.pipeline(found.pipeline)?.outline.scheduling.queue ?? QueuedRun.defaultQueue
    let version = configuration.version
    await dispatcher.run(found, in: queue) { [host, history] place in
      do {
        return try await host.resume(id, version: version, in: place)
      } catch {
        // For whoever waits for it.
        try? history.note(failure: FailureReport(error)?.description ?? "\(error)", of: asked.number)
        throw error
      }
    }
  }

  // MARK: Pipelines

  /// Looks at all files, and tells of what has changed, which is to begin then. What cannot be looked at for want of descriptors stays as it is until it can be.
  private func look(isFirst: Bool = false) async throws -> PipelineCatalog.Difference {
    var difference = catalog.look()
    if difference.isIncomplete, watch.again == nil {
      log.tell(
        .error, "pipeline",
        "cannot look at all pipeline files, because no descriptor or memory is free; what is at work stays, and they are looked at again each second"
      )
    }
    // Before a host is ready, it knows what it serves.
    while isFirst, difference.isIncomplete {
      try await host.delay(for: .seconds(1))
      difference = catalog.look()
    }
    try await take(difference, isFirst: isFirst)
    watch.again?.cancel()
    watch.again =
      !difference.isIncomplete
      ? nil
      : Task { [host, mail] in
        guard (try? await host.delay(for: .seconds(1))) != nil else { return }
        mail.send(.filesChanged)
      }
    return difference
  }

  /// Tells of other versions of pipelines, and ends those that are served no longer.
  private func take(_ difference: PipelineCatalog.Difference, isFirst: Bool = false) async throws {
    for notice in difference.notices {
      log.tell(
        notice.isProblem ? .error : .info, "pipeline", notice.message,
        pipeline: notice.pipeline.isEmpty ? nil : notice.pipeline)
    }
    for name in difference.ended {
      agents.removeValue(forKey: name)?.end()
      conditions.end(name)
    }
    if let variables = configuration.environment(hiding: catalog.secretVariables) { host.setEnvironment(variables) }
    await dispatcher.setSingle(Set(catalog.pipelines.filter { $0.overlap == .queue }.map(\.name)))
    let changed = difference.changed
    let former = isFirst ? Set(try history.publishedPipelines().map(\.name)) : []
    let served = Set(changed.map(\.name))
    try history.publish(changed, removed: difference.ended + former.subtracting(served))
  }

  /// Lets controllers and conditions of other versions begin.
  private func begin(_ difference: PipelineCatalog.Difference, isFirst: Bool = false) {
    for pipeline in difference.begun {
      agents.removeValue(forKey: pipeline.name)?.end()
      conditions.begin(pipeline.name)
      let agent = PipelineAgent(
        pipeline, in: host,
        admit: { [weak self] occasion, run, overlap in
          guard let self else { throw CancellationError() }
          return try await admit(occasion, run, overlap)
        },
        onCondition: { [conditions, name = pipeline.name] in conditions.note($0, of: name) },
        onProblem: { [log, name = pipeline.name] in log.tell(.error, "occasion", $0, pipeline: name) })
      do {
        try agent.begin()
        agents[pipeline.name] = agent
        if !isFirst {
          log.tell(.info, "pipeline", "'\(pipeline.name)' is served from \(pipeline.path)", pipeline: pipeline.name)
        }
      } catch {
        log.tell(.error, "pipeline", "'\(pipeline.name)' does not run by itself: \(error)", pipeline: pipeline.name)
      }
    }
    for name in difference.ended { log.tell(.info, "pipeline", "'\(name)' is served no longer", pipeline: name) }
    watchFiles()
    forecast(difference.begun)
  }

  /// Records an occasion.
  private func admit(
    _ occasion: Occasion, _ run: QueuedRun, _ overlap: OccasionRequest.Overlap
  ) async throws -> Admission {
    let others = overlap == .skip ? await dispatcher.runs(of: occasion.pipeline) : []
    let admission = try await host.admit(
      OccasionRequest(occasion, run: run, overlap: overlap, capacity: configuration.queued, others: others))
    clock?.look()
    if occasion.instant != nil, let pipeline = catalog.pipeline(occasion.pipeline) { forecast([pipeline]) }
    switch admission {
    case .queued, .known: break
    case .skipped(let reason, _):
      log.tell(
        .info, "occasion-skipped", "'\(occasion.pipeline)' is not run: \(reason.rawValue)", pipeline: occasion.pipeline)
    }
    return admission
  }

  private func forecast(_ pipelines: [ServedPipeline]) { Task { [forecasts] in await forecasts.note(pipelines) } }

  /// Hears of changes of the files that count.
  private func watchFiles() {
    let paths = catalog.watchedPaths
    guard paths != watch.paths || watch.task == nil else { return }
    watch.paths = paths
    watch.task?.cancel()
    let changes = host.changes(of: paths.sorted(), since: catalog.lookedAt)
    watch.task = Task { [mail] in
      for await _ in changes { mail.send(.filesChanged) }
    }
  }

  // MARK: Serving

  /// True when the host is to end.
  private func handle(_ signal: Signal) async throws -> Bool {
    switch signal {
    case .filesChanged:
      guard phase == .ready else { return false }
      // Editors write in several steps, and a folder in which something is always written is looked at all the same.
      var tries = 0
      repeat {
        mail.takeChanges()
        try? await host.delay(for: configuration.settling)
        tries += 1
      } while mail.hasChanges && tries < Self.mostSettlings
      mail.takeChanges()
      begin(try await look())
    case .reload:
      guard phase == .ready else { return false }
      states.change(to: .reloading)
      defer { states.change(to: .ready) }
      log.tell(.info, "reload", "reading the configuration and the pipelines anew")
      try await reconfigure()
      begin(try await look())
    case .requests:
      // One that drains begins nothing: the next host does.
      let kinds: [HostRequest] = phase == .ready ? HostRequest.allCases : [.reload, .drain]
      for asked in try history.takeHostRequests(kinds, at: host.now()) {
        let person = asked.who.map { " by \($0)" } ?? ""
        switch asked.request {
        case .resume: await resume(asked)
        case .reload:
          log.tell(.info, "reload", "asked\(person) to reload")
          mail.send(.reload)
        case .drain:
          log.tell(.info, "drain", "asked\(person) to drain")
          mail.send(.drain(RunCanceller(who: asked.who, means: .drain)))
        }
      }
    case .clockSet(let setting): await clockWasSet(setting)
    case .drain(let canceller): return try await drain(canceller)
    case .drainTimeout:
      guard phase == .draining else { return false }
      log.tell(.warning, "drain", "the time to drain is up; cancelling what goes on")
      return await cancel(RunCanceller(means: .drain))
    case .idle: return phase != .ready && phase != .starting
    }
    return false
  }

  /// Reads the file of the host anew. One with errors changes nothing.
  private func reconfigure() async throws {
    switch configuration.read?() {
    case nil: return
    case .invalid(let findings):
      log.tell(.error, "configuration", "the configuration is invalid, and stays as it was: \(findings)")
    case .valid(let definition, let paths, let warnings):
      if let warnings { log.tell(.warning, "configuration", warnings) }
      let kept = configuration.change(to: definition, paths: paths)
      if !kept.isEmpty {
        let names = kept.joined(separator: ", ")
        log.tell(.warning, "configuration", "\(names) changed, which takes effect at the next start")
      }
      catalog.change(to: configuration.definition, paths: configuration.paths)
      await dispatcher.setLimits(Dispatcher.Limits(runs: configuration.runs, queues: configuration.queues))
      await retention.change(to: configuration.definition.retention)
      record.configuration = configuration.json.text
      try history.update(record)
    }
  }

  /// Controllers and the queue go by the new time themselves.
  private func clockWasSet(_ setting: ClockWatch.Setting) async {
    let isForward = setting.change > .zero
    let change = DurationNotation.format(.seconds((setting.change / .seconds(1)).rounded().magnitude))
    log.tell(
      .warning, "clock-set",
      "the clock was set \(isForward ? "forward" : "back") by \(change), to \(setting.time.text); "
        + (isForward
          ? "instants in between are made up for or left out, as 'catch_up' says"
          : "instants that have come up already do not come up again"))
    guard phase == .ready else { return }
    forecast(Array(catalog.pipelines))
    status?.notice()
    await dispatcher.notice()
  }

  private func drain(_ canceller: RunCanceller) async throws -> Bool {
    switch phase {
    case .starting, .ready:
      phase = .draining
      for agent in agents.values { agent.end() }
      agents = [:]
      // What is being taken from the queue waits for room on the disk, too.
      await dispatcher.close(waiting: host.writeFailure == nil)
      let count = await dispatcher.count
      log.tell(
        .info, "draining",
        count == 0
          ? "draining: nothing goes on"
          : "draining: \(count) \(count == 1 ? "run goes" : "runs go") on, for \(DurationNotation.format(configuration.drain)) at most"
      )
      record.state = .draining
      do {
        try history.update(record)
      } catch {
        log.tell(.warning, "draining", "cannot record that it drains: \(error)")
      }
      states.change(to: .draining)
      guard count > 0 else { return true }
      background.tasks.append(
        Task { [host, states] in
          while (try? await host.delay(for: HostStates.drainInterval)) != nil { states.change(to: .stillDraining) }
        })
      Task { [dispatcher, mail] in
        await dispatcher.awaitEnd()
        mail.send(.idle)
      }
      Task { [host, mail, drain = configuration.drain] in
        guard (try? await host.delay(for: drain)) != nil else { return }
        mail.send(.drainTimeout)
      }
      return false
    case .draining: return await cancel(canceller)
    case .cancelling:
      host.kill()
      return false
    }
  }

  private func cancel(_ canceller: RunCanceller) async -> Bool {
    phase = .cancelling
    host.attributeCancellations(to: canceller)
    await dispatcher.cancelAll()
    // Their ends could not be recorded: they are interrupted, for the next host.
    if host.writeFailure != nil { await host.endHolding() }
    return await dispatcher.count == 0
  }

  private func endUpkeep() async {
    let tasks = background.tasks
    background.tasks = []
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private func queueChanged() {
    for agent in agents.values where agent.awaitsRuns { agent.queueChanged() }
  }

  private func ended(_ run: RunRecord) {
    status?.notice()
    agents[run.pipeline]?.ended(run)
  }

  private func finish(_ lease: Lease) async throws {
    watch.task?.cancel()
    clock = nil
    watch.again?.cancel()
    await endUpkeep()
    for agent in agents.values { agent.end() }
    await conditions.close()
    background.subscriptions = []
    record.state = .stopped
    record.endedAt = host.now()
    try history.update(record)
    states.change(to: .stopped)
    try await host.release(lease)
    log.tell(host.takeLateness())
    log.tell(.info, "stopped", "stopped")
    try await service.close()
  }
}
