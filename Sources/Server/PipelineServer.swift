import Operations
import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory
import Values
import Workspace

/// A host that serves the pipelines at some paths on one workspace, from becoming the workspace's host to the end of its last run.
///
/// Only one host at a time serves a workspace. State that must not be lost is written to the workspace before the host acts on it, so that it can be killed at any moment.
package actor PipelineServer {
  /// The signals that it receives.
  package typealias Signal = HostSignal

  /// How often it waits for changes to stop, each time for as long as a file must be unchanged.
  private static let mostSettlings = 10

  enum Phase { case starting, ready, draining, cancelling }

  /// The background work until the host ends.
  struct Background {
    var subscriptions: [Subscription] = []
    var tasks: [Task<Void, Never>] = []
  }

  /// What it publishes about itself and its pipelines.
  struct Publications {
    let forecasts: Forecasts
    let conditions: ConditionPublisher
    let controllers: ControllerPublisher
    let status: StatusTeller?
    let failures: WriteFailureTeller
  }

  /// The watched folders and files.
  struct FileWatch {
    var paths: Set<String> = []
    var task: Task<Void, Never>?
    /// The timer for another search, if some files could not be read.
    var again: Task<Void, Never>?
    /// Why they could not be read; nil if all could.
    var problem: String?
    /// What is to be said of a file that takes long to load.
    var hanging: String?
  }

  var configuration: ServerConfiguration
  let log: HostLog
  nonisolated let service: RunService
  let mail = HostMail()
  var phase = Phase.starting
  var record: HostRecord
  var catalog: PipelineCatalog
  var agents = PipelineAgents()
  let awaited = AwaitedRuns()
  let dispatcher: Dispatcher
  let states: HostStates
  var watch = FileWatch()
  var background = Background()
  let publications: Publications
  let retention: RetentionKeeper
  var clock: ClockWatch?

  var host: RunHost { service.host }
  var history: History { service.history }

  /// Opens the workspace, once. ``open(_:log:states:)`` creates a host that waits until it can write.
  ///
  /// - Throws: ``ServerError`` if the workspace is on a network file system; `WorkspaceError`, or `EngineError`.
  package init(_ configuration: ServerConfiguration, log: HostLog, states: HostStates = HostStates()) throws {
    let failures = WriteFailureTeller(log: log, workspace: configuration.location.path, states: states)
    try self.init(configuration, log: log, states: states, failures)
  }

  // `failures` is notified of what prevents the host from writing, even before the host exists.
  init(_ configuration: ServerConfiguration, log: HostLog, states: HostStates, _ failures: WriteFailureTeller) throws {
    try configuration.requireLocalWorkspace()
    self.configuration = configuration
    self.log = log
    self.states = states
    let service = try RunService(
      creatingAt: configuration.location, configuration.service.holding(telling: failures, log))
    self.service = service
    let (history, location) = (service.history, configuration.location)
    let relay = RunRelay(log: log, failure: { FailureCause.words(for: $0, in: history, at: location) }) {
      try? history.run($0)?.state
    }
    dispatcher = Dispatcher(
      host: service.host,
      limits: Dispatcher.Limits(runs: configuration.limits.runs, queues: configuration.limits.queues),
      events: relay.events)
    catalog = PipelineCatalog(
      paths: configuration.paths, of: configuration.definition, plugins: configuration.service.plugins,
      host: service.host, version: configuration.program.version, names: configuration.computer.folderNames)
    publications = Publications(
      forecasts: Forecasts(host: service.host, plugins: configuration.service.plugins),
      conditions: ConditionPublisher(host: service.host), controllers: ControllerPublisher(host: service.host),
      status: states.onStatus.map { [dispatcher] in
        StatusTeller(of: service.host, running: { await dispatcher.count }, $0)
      }, failures: failures)
    retention = RetentionKeeper(
      host: service.host, log: log, otherwise: configuration.definition.retention,
      isBusy: { [dispatcher] in await dispatcher.count > 0 })
    let whereabouts = service.host.whereabouts
    record = HostRecord(
      host: whereabouts.host, user: whereabouts.user, version: configuration.program.version,
      startedAt: service.host.now(),
      configuration: configuration.json().text)
    relay.connect { [weak self] run in Task { await self?.ended(run) } }
    if let status = publications.status { relay.connectBeginning { status.notice() } }
  }

  /// Sends a signal to the host, from any thread.
  package nonisolated func send(_ signal: Signal) { mail.send(signal) }

  /// Serves until it is drained, and closes the workspace.
  ///
  /// - Throws: ``ServerError``, or errors of the engine and the workspace.
  package func run() async throws {
    if let (interval, beat) = states.pulse {
      let pulse = HostPulse(of: host, every: interval, patience: Self.longestWait * 2, beat)
      background.tasks.append(Task { await pulse.run() })
    }
    mail.noticeDrains { [weak self] in Task { await self?.endWaitingForRoom() } }
    guard let lease = try await takeLease() else { return try await service.close() }
    do {
      try await start()
      for await signal in mail.signals where try await handle(signal) { break }
    } catch {
      let isAsked = isEndAsked(error)
      clock = nil
      publications.failures.end()
      await endUpkeep()
      await publications.conditions.close()
      await publications.controllers.close()
      await host.endHolding()
      if isAsked {
        // Runs that were already resumed are interrupted again.
        await dispatcher.close(waiting: false)
        await dispatcher.cancelAll()
        host.kill()
        await dispatcher.awaitEnd()
      }
      _ = try? await host.release(lease)
      try? await service.close()
      guard isAsked else { throw error }
      return tellEnd("stopped before it was ready: it could not write")
    }
    // After everything else, because it closes the workspace itself, which must not be closed twice.
    try await finish(lease)
  }

  // MARK: Starting

  private func tellEnd(_ words: String) {
    states.change(to: .stopped)
    log.tell(.info, "stopped", words)
  }

  /// Returns nil if it was told to end while it waited for another host, or until it could write.
  func takeLease() async throws -> Lease? {
    let holder = "the host in process \(record.owner.pid) on \(record.host)"
    let outcome: LeaseOutcome
    do {
      outcome = try await host.lease(HostRecord.lease, holder: holder)
    } catch {
      guard isEndAsked(error) else { throw error }
      tellEnd("stopped before it was ready: it could not write")
      return nil
    }
    switch outcome {
    case .granted(let lease): return lease
    case .held(let lease):
      guard configuration.isStandby else {
        let isDraining = (try? history.currentHost()?.state == .draining) ?? false
        let error = ServerError.served(by: lease, workspace: configuration.location.path, isDraining: isDraining)
        try? await service.close()
        throw error
      }
      states.change(to: .standby(lease.holder))
      log.tell(.info, "standby", "waiting until \(lease.holder) ends")
      let wait = Task { [host] in
        try await host.waitForLease(HostRecord.lease, holder: holder) { _, _ in }
      }
      // A waiting host can be told to end.
      mail.interceptDrain { wait.cancel() }
      defer { mail.interceptDrain(nil) }
      do {
        return try await wait.value
      } catch is CancellationError {
        tellEnd("stopped while waiting for another host to end")
        return nil
      }
    }
  }

  // MARK: Serving

  /// Returns true if the host must end.
  func handle(_ signal: Signal) async throws -> Bool {
    switch signal {
    case .filesChanged:
      guard phase == .ready else { return false }
      // Editors write in several steps; a folder that is written to all the time is still searched.
      var tries = 0
      repeat {
        mail.takeChanges()
        try? await host.delay(for: configuration.computer.settling)
        tries += 1
      } while mail.hasChanges && tries < Self.mostSettlings
      mail.takeChanges()
      await begin(try await look())
    case .reload(let who):
      guard phase == .ready else { return false }
      note(signalEntry(.reload, "SIGHUP", by: who))
      try await reload()
    case .requests:
      // A draining host starts nothing: the next host does.
      let kinds: [HostRequest] = phase == .ready ? HostRequest.allCases : [.reload, .drain, .drainNow]
      var taken: [AskedOfHost] = []
      try await write { taken = try history.takeHostRequests(kinds, at: host.now()) }
      for asked in taken {
        let person = asked.who.map { " by \($0)" } ?? ""
        switch asked.request {
        case .resume: await resume(asked)
        case .reload:
          log.tell(.info, "reload", "asked\(person) to reload")
          try await reload()
        case .drain:
          // A repeated request waits for the same end.
          let isDraining = mail.isDrainAsked
          log.tell(.info, "drain", "asked\(person) to drain\(isDraining ? ", and is draining already" : "")")
          if !isDraining { mail.send(.drain(RunCanceller(who: asked.who, means: .drain))) }
        case .drainNow:
          log.tell(.info, "drain", "asked\(person) to cancel active runs and stop")
          for _ in 0..<(mail.isDrainAsked ? 1 : 2) { mail.send(.drain(RunCanceller(who: asked.who, means: .drain))) }
        }
      }
      if phase == .ready { try await cancelInterrupted() }
    case .workspaceChanged: try await requireWorkspace()
    case .clockSet(let setting): await clockWasSet(setting)
    case .drain(let canceller): return try await drain(canceller)
    case .drainTimeout:
      guard phase == .draining else { return false }
      log.tell(.warning, "drain", "the time to drain is over; cancelling active runs")
      return await cancel(RunCanceller(means: .drain))
    case .idle: return phase != .ready && phase != .starting
    }
    return false
  }

  /// Reloads its configuration and its pipelines, unless it is draining.
  func reload() async throws {
    guard phase == .ready else { return }
    states.change(to: .reloading)
    defer { states.change(to: .ready) }
    log.tell(.info, "reload", "reloading the configuration and the pipelines")
    try await reconfigure()
    await begin(try await look())
  }

  /// Adds the request of a signal to the audit. If the sender is unknown, it may have been the user of the process, whom it obeys.
  func signalEntry(_ action: AuditEntry.Action, _ detail: String, by who: String?) -> AuditEntry {
    AuditEntry(
      time: host.now(), by: Requester(who ?? record.user, by: .signal), action, HostRecord.lease, detail: detail)
  }

  func note(_ entry: AuditEntry) {
    do {
      try history.record(entry)
    } catch {
      log.tell(.warning, "audit", "cannot record that a signal asked for '\(entry.action.rawValue)': \(error)")
    }
  }

  /// Reloads the file of the host. A file with errors changes nothing.
  func reconfigure() async throws {
    switch configuration.read?() {
    case nil: return
    case .invalid(let findings):
      log.tell(.error, "configuration", "the configuration is invalid; the previous one stays in effect: \(findings)")
      // Published with the findings of the search that follows.
      configuration.refuse(because: findings)
    case .valid(let definition, let paths, let warnings):
      if let warnings { log.tell(.warning, "configuration", warnings) }
      if let kept = configuration.change(to: definition, paths: paths) { log.tell(.warning, "configuration", kept) }
      catalog.change(to: configuration.definition, paths: configuration.paths)
      await dispatcher.setLimits(
        Dispatcher.Limits(runs: configuration.limits.runs, queues: configuration.limits.queues))
      await retention.change(to: configuration.definition.retention)
      record.configuration = configuration.json(problems: problems).text
      try await write { try history.update(record) }
    }
  }

  /// Handles a change of the wall clock. Controllers and the queue adjust to the new time themselves.
  func clockWasSet(_ setting: ClockWatch.Setting) async {
    let isForward = setting.change > .zero
    let change = DurationNotation.format(.seconds((setting.change / .seconds(1)).rounded().magnitude))
    log.tell(
      .warning, "clock-set",
      "the clock was set \(isForward ? "forward" : "back") by \(change), to \(setting.time.text); "
        + (isForward
          ? "'catch_up' decides about the instants in between"
          : "instants that were due before are not due again"))
    guard phase == .ready else { return }
    forecast(Array(catalog.pipelines), anew: true)
    publications.status?.notice()
    await dispatcher.notice()
  }

  func queueChanged() {
    for name in awaited.pipelines { agents[name]?.queueChanged() }
  }

  func ended(_ run: RunRecord) {
    publications.status?.notice()
    agents[run.pipeline]?.ended(run)
    // Its end could not be recorded.
    if !run.state.isFinal { mail.send(.workspaceChanged) }
  }
}
