import PipelineEngine
import PipelineService
import RunHistory
import RunReports
import Workspace

/// Starting: from becoming the host of the workspace until the host is ready.
extension PipelineServer {
  /// Returns before it is ready if it has been told to end.
  func start() async throws {
    record.startedAt = host.now()
    // On a full disk, reading may fail as well.
    try await write {
      let hosts = try history.hosts()
      catalog.hostBegins(
        at: record.startedAt, after: try history.publishedPipelines(), of: hosts, drains: try history.drains(of: hosts))
    }
    publications.failures.serve { [status = publications.status, weak failures = publications.failures, mail] in
      status?.notice()
      // The workspace may disappear with its file system, which causes no notification. This cannot be checked while the database is locked.
      guard let error = failures?.failure?.error else { return }
      if case .locked = error { return }
      mail.send(.workspaceChanged)
    }
    try await write { record.number = try history.add(record) }
    try await write { try publications.controllers.open() }
    try await write { try history.declare(resources: configuration.service.capacity.resources) }
    log.tell(.info, "starting", "serving '\(configuration.location.path)' in process \(record.owner.pid)")
    // Runs that the former host had taken but not begun, and runs that it left.
    var interrupted: [RunRecord] = []
    try await write {
      try history.markInterrupted()
      interrupted = try history.interruptedRuns()
    }
    // Requests to the former host do not apply to this one, except requests to resume runs.
    var wanted: [AskedOfHost] = []
    try await write { wanted = try history.takeHostRequests(at: host.now()).filter { $0.request == .resume } }
    background.subscriptions.append(try history.followHostRequests { [mail] in mail.send(.requests) })
    background.subscriptions.append(try history.followRunRequests { [mail] in mail.send(.requests) })
    background.subscriptions += try history.followQueue { [weak self, dispatcher] in
      Task {
        await dispatcher.notice()
        await self?.queueChanged()
      }
    }
    watchWorkspace()
    clock = host.watchClock { [mail] in mail.send(.clockSet($0)) }
    guard let served = try await lookFirst() else { return }
    for asked in wanted { await resume(asked) }
    let resumed = try await cancelInterrupted().union(wanted.compactMap(\.run))
    try await restore(interrupted.filter { !resumed.contains($0.id) })
    // Active runs count against what is reported from now on.
    await begin(served, isFirst: true)
    await dispatcher.open()
    phase = .ready
    record.state = .ready
    record.readyAt = host.now()
    try await write { try history.update(record) }
    let problems = catalog.problemCount
    log.tell(
      .info, "ready",
      "ready: \(catalog.pipelines.count) \(catalog.pipelines.count == 1 ? "pipeline" : "pipelines")"
        + (problems > 0 ? ", and \(problems) \(problems == 1 ? "file is" : "files are") invalid" : ""))
    publications.failures.becameReady()
    states.change(to: .ready)
    background.tasks.append(Task { [retention] in await retention.run() })
    if let status = publications.status { background.tasks.append(Task { await status.run() }) }
  }

  /// Handles the runs whose host is gone, according to the definitions with which they began.
  func restore(_ interrupted: [RunRecord]) async throws {
    for run in interrupted {
      switch try history.restartPolicy(of: run.id) ?? configuration.onRestart {
      case .leave: await leave(run)
      case .fail:
        do {
          try await host.fail(run)
          log.tell(
            .warning, "run-failed",
            "run \(run.id) of '\(run.pipeline)' failed: its host had ended, and `on_restart` is `fail`",
            pipeline: run.pipeline, run: run.id)
        } catch {
          log.tell(
            .error, "run-left", "run \(run.id) is still interrupted: \(error)", pipeline: run.pipeline,
            run: run.id)
        }
      case .resume:
        log.tell(
          .info, "run-resumed", "resuming run \(run.id) of '\(run.pipeline)'", pipeline: run.pipeline, run: run.id
        )
        await resume(run)
      }
    }
  }

  /// Leaves an interrupted run to a person, but ends its processes: otherwise nothing would end them, or report that they are running.
  private func leave(_ run: RunRecord) async {
    let subject = "run \(run.id) of '\(run.pipeline)' is still interrupted"
    do {
      let notices = try await host.endProcesses(of: run)
      log.tell(
        .warning, "run-left", ([subject] + notices).joined(separator: "; "), pipeline: run.pipeline, run: run.id)
    } catch {
      log.tell(.error, "run-left", "\(subject): \(error)", pipeline: run.pipeline, run: run.id)
    }
  }

  /// Ends interrupted runs that somebody asked to cancel, and returns them.
  @discardableResult
  func cancelInterrupted() async throws -> Set<RunID> {
    var runs: Set<RunID> = []
    for run in try history.interruptedRunsToCancel() where await !dispatcher.has(run.id) {
      log.tell(
        .info, "run-resumed", "resuming run \(run.id) of '\(run.pipeline)' to cancel it, as requested",
        pipeline: run.pipeline, run: run.id)
      await resume(run)
      runs.insert(run.id)
    }
    return runs
  }

  private func resume(_ run: RunRecord) async {
    let version = configuration.program.version
    await dispatcher.run(run, in: queue(of: run)) { [host, log] in
      try await host.resume(run.id, version: version, in: $0, events: .ends) { log.tell(noticeIn: $0, of: run) }
    }
  }

  /// The queue in the definition with which the run began, even if its file has changed.
  private func queue(of run: RunRecord) -> String {
    (try? history.recordedQueue(of: run.id)) ?? QueuedRun.defaultQueue
  }

  /// Resumes a run that somebody asked to resume.
  func resume(_ asked: AskedOfHost) async {
    guard let id = asked.run, let found = try? history.run(id), await !dispatcher.has(id) else { return }
    let person = asked.who.map { " by \($0)" } ?? ""
    log.tell(
      .info, "run-resumed", "asked\(person) to resume run \(id) of '\(found.pipeline)'", pipeline: found.pipeline,
      run: id)
    let version = configuration.program.version
    await dispatcher.run(found, in: queue(of: found)) { [host, history, log] place in
      do {
        return try await host.resume(id, isAskedFor: true, version: version, in: place, events: .ends) {
          log.tell(noticeIn: $0, of: found)
        }
      } catch {
        // For clients that wait for it.
        try? history.note(failure: FailureReport(error)?.description ?? "\(error)", of: asked.number)
        throw error
      }
    }
  }
}
