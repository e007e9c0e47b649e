import PipelineLanguage
import RunHistory

/// Interrupted runs that this host does not resume.
extension RunHost {
  /// Interrupts those of `runs` in which everything waits, and returns them; a run that somebody has cancelled is not among them. What each of them waits for is
  /// recorded, so that the next host continues the wait. Whoever executes such a run is told of ``EngineError/left(_:)``.
  package func leaveResting(_ runs: [RunID]) async -> [RunID] {
    let engines = running.withLock { running in runs.compactMap { running[$0] } }
    guard !engines.isEmpty else { return [] }
    return await withCheckedContinuation { continuation in
      services.loop.execute {
        continuation.resume(
          returning: engines.filter { engine in engine.assumeIsolated { $0.leaveIfResting() } }.map(\.id))
      }
    }
  }

  /// Puts those of `runs` back into the queue that this host has taken from it and that have not begun, and returns them, with those that no engine has (yet). Their places must be
  /// barred (``RunPlace/bar()``). Whoever executes such a run is told of ``EngineError/left(_:)``.
  package func leaveNotBegun(_ runs: [RunID]) async -> (left: [RunID], unknown: [RunID]) {
    let found = running.withLock { running in runs.map { (run: $0, engine: running[$0]) } }
    let engines = found.compactMap(\.engine)
    let unknown = found.filter { $0.engine == nil }.map(\.run)
    guard !engines.isEmpty else { return ([], unknown) }
    return await withCheckedContinuation { continuation in
      services.loop.execute {
        let left = engines.filter { engine in engine.assumeIsolated { $0.leaveIfNotBegun() } }.map(\.id)
        continuation.resume(returning: (left, unknown))
      }
    }
  }

  /// Ends what the gone host of an interrupted run has left running, on this machine and elsewhere, and records that the run has failed. One that somebody has resumed meanwhile is left alone.
  ///
  /// - Throws: ``EngineError/processesRemain(_:of:)``, ``EngineError/processesUnknown(of:)`` or ``EngineError/jobsElsewhere(_:of:)`` where something of it may go on, or
  ///   `WorkspaceError`: then the run stays interrupted.
  package func fail(_ run: RunRecord) async throws {
    let elsewhere = try history.executorsWithJobs(
      of: run.id, besides: [LocalExecutor.name, services.executors.jobs.name])
    guard elsewhere.isEmpty else { throw EngineError.jobsElsewhere(elsewhere, of: run.id) }
    let services = services
    try await Task(executorPreference: services.loop) {
      try await Self.stopJobs(of: run, services)
      _ = try await Self.endProcesses(of: run, services)
    }.value
    try history.fail(run.id, at: services.now())
  }

  /// Ends the processes that the gone host of an interrupted run has left running on this machine. The run stays interrupted, and its jobs elsewhere go on, for whoever
  /// resumes it. Those of one that somebody has resumed meanwhile are left alone.
  ///
  /// - Returns: What is to be told of that, in sentences without full stops.
  /// - Throws: ``EngineError/processesRemain(_:of:)`` or ``EngineError/processesUnknown(of:)`` where some may go on.
  package func endProcesses(of run: RunRecord) async throws -> [String] {
    let services = services
    return try await Task(executorPreference: services.loop) { try await Self.endProcesses(of: run, services) }.value
  }

  private static nonisolated(nonsending) func endProcesses(
    of run: RunRecord, _ services: HostServices
  ) async throws -> [String] {
    let outcome = await services.shared.formerProcesses.end(of: run.id, host: run.owner, isolation: nil) {
      (try? services.history.run(run.id))?.state == .interrupted
    }
    if let error = outcome.error(of: run.id) { throw error }
    return outcome.notices(of: run.owner)
  }

  /// Stops the jobs of a run that outlive their host, and waits for their ends.
  private static nonisolated(nonsending) func stopJobs(of run: RunRecord, _ services: HostServices) async throws {
    let executor = services.executors.jobs
    let attempts = try services.history.attempts(of: run.id)
    for job in FormerJob.left(by: attempts, at: executor.name).values {
      guard case .running(let handle) = await executor.recover(job.handle) else { continue }
      executor.stop([handle], grace: .zero)
      _ = await executor.end(of: handle)
    }
    executor.forget(run.id)
  }
}
