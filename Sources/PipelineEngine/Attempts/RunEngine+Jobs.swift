import Operations
import RunHistory

/// From an attempt to its executor and back: the job is started, known to the history before anything waits for it, stopped where it is cancelled, and asked for
/// where nobody knows whether it has begun.
extension RunEngine {
  /// Runs a job to its end. Where the call returns, its job has ended.
  func run(_ job: Job, _ ordinal: Int) async throws -> JobEnd {
    guard services.executor is LocalExecutor else { return try await runElsewhere(job, ordinal) }
    return try await services.local.run(job) { handle, files in
      note(handle, ordinal)
      // Recorded only if the attempt lasts, so that its logs can be followed.
      state.instances[ordinal].attempt?.standardOutput = files.relativeOutput
      state.instances[ordinal].attempt?.standardError = files.relativeError
      observer.emitOnTheWay(
        .output(
          id, ordinal: ordinal, standardOutput: files.relativeOutput, standardError: files.relativeError))
      logs.settle()
      if state.unfinished > 1, logs.runsShort { services.loop.whenIdle { [logs] in logs.makeSpares() } }
    } exited: { [unowned self] in
      assumeIsolated { $0.exited(ordinal) }
    }
  }

  /// The job of an attempt is known to its executor.
  private func note(_ handle: JobHandle, _ ordinal: Int) {
    jobs.running[ordinal] = handle
    switch handle.name {
    case .process(let pid): state.instances[ordinal].attempt?.pid = pid
    case .text(let name): state.instances[ordinal].attempt?.handle = name
    case .open: state.instances[ordinal].attempt?.handle = nil
    }
  }

  private func exited(_ ordinal: Int) {
    jobs.running[ordinal] = nil
    processExited(ordinal)
  }

  // MARK: Executors that may outlive this host

  /// How many times a job is started that has certainly not begun, which is no attempt of its own, and how long after the first time; twice as long each
  /// further time.
  private static let mostStarts = 6
  private static let pause = Duration.seconds(1)

  private func runElsewhere(_ job: Job, _ ordinal: Int) async throws -> JobEnd {
    let executor = services.executor
    state.instances[ordinal].attempt?.executor = executor.name
    defer { jobs.running[ordinal] = nil }
    var reason = ""
    for start in 0..<Self.mostStarts {
      if start > 0 { try await services.context.operationDelayer.delay(for: Self.pause * (1 << (start - 1))) }
      let end: JobEnd
      switch try await begin(job, ordinal) {
      case .running(let handle): end = await self.end(of: handle, job, ordinal)
      case .ended(let known): end = known
      case .notBegun(let why):
        reason = why
        continue
      case .lost(let reason): end = JobEnd(cause: .lost(reason))
      }
      guard case .notBegun(let why) = end.cause else { return end }
      reason = why
      if Task.isCancelled { throw CancellationError() }
    }
    return JobEnd(cause: .notBegun(reason.isEmpty ? "\(Self.mostStarts) starts came to nothing" : reason))
  }

  /// Starts a job, unless a former host has, or may have.
  private func begin(_ job: Job, _ ordinal: Int) async throws -> JobRecovery {
    let executor = services.executor
    if let former = jobs.former.removeValue(forKey: ordinal) {
      let recovery = try await recover(former.handle, ordinal)
      if case .notBegun = recovery {} else { return recovery }
    }
    // Until its executor has told its name, nobody knows whether it has begun: whoever comes next has to ask.
    try await makeDurable(JobHandle(job: job.id, name: .open), ordinal)
    switch await services.starts.start(job) {
    case .begun(let handle):
      // Before anything waits for it. It goes on whatever becomes of this host.
      do { try await makeDurable(handle, ordinal) } catch {
        executor.stop([handle], grace: .zero)
        throw error
      }
      return .running(handle)
    case .refused(let error): throw error
    case .notBegun(let reason): return .notBegun(reason: reason)
    case .open(let handle): return try await recover(handle, ordinal)
    }
  }

  /// Asks for a job that may go on. What does is known to the history before anything waits for it.
  private func recover(_ handle: JobHandle, _ ordinal: Int) async throws -> JobRecovery {
    note(handle, ordinal)
    let recovery = await services.executor.recover(handle)
    if case .running(let known) = recovery { try await makeDurable(known, ordinal) }
    return recovery
  }

  /// The run has ended: what a former host has started, and this one never came to, goes on for nobody.
  func stopFormerJobs() {
    for (ordinal, job) in jobs.former where ordinal < state.instances.count {
      services.executor.stop([job.handle], grace: state.instances[ordinal].node.definition.grace)
    }
    jobs.former = [:]
  }

  private func makeDurable(_ handle: JobHandle, _ ordinal: Int) async throws {
    note(handle, ordinal)
    guard !services.executor.keepsHandles else { return }
    recorder.append(ordinal)
    try await services.recorder.flush()
  }

  private func end(of handle: JobHandle, _ job: Job, _ ordinal: Int) async -> JobEnd {
    note(handle, ordinal)
    let (loop, grace) = (services.loop, job.grace)
    if isForced { stop(handle, grace: .zero) }
    return await withTaskCancellationHandler {
      await services.executor.end(of: handle)
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.stop(handle, grace: grace) } }
    }
  }

  private func stop(_ handle: JobHandle, grace: Duration) {
    // The job of a run that another host has taken is that host's.
    if !ending.isLost { services.executor.stop([handle], grace: grace) }
  }
}
