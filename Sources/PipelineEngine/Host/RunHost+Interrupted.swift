import PipelineLanguage
import RunHistory

/// Interrupted runs that this host does not resume.
extension RunHost {
  /// Interrupts those of `runs` in which everything waits, except runs being cancelled, and returns them. What each of them waits for is recorded, so
  /// that the next host continues the wait. The caller that executes such a run receives ``EngineError/left(_:)``.
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

  /// Returns to the queue those of `runs` that this host has claimed from it and that have not begun. Returns them, and those that have no engine
  /// (yet). Their run slots must be barred (``RunPlace/bar()``). The caller that executes such a run receives ``EngineError/left(_:)``.
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

  /// Terminates what the dead host of an interrupted run left running, on this computer and elsewhere, and records that the run has failed. A run
  /// that has been resumed in the meantime is left alone.
  ///
  /// - Throws: ``EngineError/processesRemain(_:of:)``, ``EngineError/processesUnknown(of:)`` or ``EngineError/jobsElsewhere(_:of:)`` if part of it
  ///   may still be running, or `WorkspaceError`. The run then stays interrupted.
  package func fail(_ run: RunRecord) async throws {
    let elsewhere = try history.executorsWithJobs(of: run.id, besides: services.executors.names)
    guard elsewhere.isEmpty else { throw EngineError.jobsElsewhere(elsewhere, of: run.id) }
    let services = services
    try await Task(executorPreference: services.loop) {
      try await Self.stopJobs(of: run, services)
      _ = try await Self.endProcesses(of: run, services)
    }.value
    try history.fail(run.id, at: services.now())
    await Task(executorPreference: services.loop) {
      for executor in services.executors.all { await executor.forget(run.id) }
    }.value
  }

  /// Terminates the processes that the dead host of an interrupted run left running on this computer. The run stays interrupted, and its jobs
  /// elsewhere continue, to be resumed. The processes of a run that has been resumed in the meantime are left alone.
  ///
  /// - Returns: What is to be reported about it, in sentences without full stops.
  /// - Throws: ``EngineError/processesRemain(_:of:)`` or ``EngineError/processesUnknown(of:)`` if some may still be running.
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
    let attempts = try services.history.attempts(of: run.id)
    for executor in services.executors.all {
      for job in FormerJob.left(by: attempts, at: [executor.name]).values {
        guard case .running(let handle) = await executor.recover(job.handle) else { continue }
        executor.stop([handle], grace: .zero)
        _ = await executor.end(of: handle, nil)
      }
    }
  }
}
