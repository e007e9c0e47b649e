import Operations
import RunHistory

/// Runs the job of an attempt on its executor: starts it, records it before anything waits for it, stops it on cancellation, and recovers it if it is
/// unknown whether it has begun.
struct JobRunner {
  let run: Run
  let ordinal: Int

  private var executor: any Executor { run.executor(ordinal) }

  /// Runs a job to its end. When this returns, the job has ended.
  nonisolated(nonsending) func perform(_ job: Job) async throws -> JobEnd {
    guard let door = executor.fastDoor else { return try await runElsewhere(job) }
    let start = AttemptStart(of: run, ordinal)
    defer { start.end() }
    while true {
      do {
        try start.requireTurn(for: "starting '\(job.arguments[0])'")
        if job.input.isLarge { try await makeReadyBeside(job, by: door) }
        let end = try await perform(job, by: door) { start.begun() }
        guard run.services.writing.isHolding, case .refused(let failure) = end.cause, let error = failure.engineError,
          error.isShortage
        else { return end }
        if let files = end.files { job.files.giveBack(files) }
        throw error
      } catch let error as EngineError where run.isWaitedOut(error) {
        // Nothing was started: its logs could not be written, or there was no descriptor or memory for the process.
        if error.isShortage, job.prepared != nil { executor.discard(job) }
        try await start.wait(for: error)
      }
    }
  }

  private nonisolated(nonsending) func perform(
    _ job: Job, by door: any FastDoor, begun: () -> Void
  ) async throws -> JobEnd {
    let turn = LoopBound(AttemptTurn(run: run, ordinal: ordinal))
    return try await door.run(isolation: #isolation, job) { handle, files in
      begun()
      note(handle)
      note(files)
      run.logs.settle()
      if run.state.unfinished > 1, run.logs.runsShort, run.services.shortages.isEmpty {
        run.services.loop.whenIdle { [logs = run.logs] in logs.makeSpares() }
      }
    } exited: {
      turn.value.processEnded()
    }
  }

  /// Writes the input of a job, which takes a while. If the attempt has ended in the meantime, the job is not started.
  private nonisolated(nonsending) func makeReadyBeside(_ job: Job, by door: any FastDoor) async throws {
    try await door.makeReadyBeside(job, isolation: #isolation)
    do {
      guard run.mayGoOn(ordinal) else { throw CancellationError() }
      try run.requireOwnership()
    } catch {
      executor.discard(job)
      throw error
    }
  }

  /// Notes the log files of an attempt. They are recorded only if the attempt lasts, so that its logs can be followed.
  private func note(_ files: LogFiles) {
    run.state.instances[ordinal].attempt?.standardOutput = files.relativeOutput
    run.state.instances[ordinal].attempt?.standardError = files.relativeError
    run.observer.emitOnTheWay(
      .output(run.id, ordinal: ordinal, standardOutput: files.relativeOutput, standardError: files.relativeError))
  }

  /// Notes that the executor knows the job of an attempt.
  private func note(_ handle: JobHandle) {
    run.jobs.running[ordinal] = handle
    switch handle.name {
    case .process(let pid): run.state.instances[ordinal].attempt?.pid = pid
    case .text(let name): run.state.instances[ordinal].attempt?.handle = name
    case .open: run.state.instances[ordinal].attempt?.handle = nil
    }
  }

  /// Notes that the job of an attempt waits for its executor, or does not any more.
  private func note(_ wait: OperationReason.ExecutorWait?) {
    let reason = wait.map(OperationReason.executor)
    let former = run.state.instances[ordinal].reason
    guard run.state.instances[ordinal].state == .running, former != reason else { return }
    switch former {
    case nil, .executor?: run.recorder.enter(ordinal, .running(reason))
    // What the computer of the host lacks is told first.
    default: break
    }
  }

  // MARK: Executors that may outlive this host

  /// How many times a job that has certainly not begun is started within one attempt, and the pause after the first start, which doubles each time.
  private static let mostStarts = 4
  private static let pause = Duration.seconds(1)

  private nonisolated(nonsending) func runElsewhere(_ job: Job) async throws -> JobEnd {
    let executor = executor
    run.state.instances[ordinal].attempt?.executor = executor.name
    job.whenLogged = { files in
      note(files)
      run.recorder.append(ordinal)
    }
    job.whenWaiting = { wait in note(wait) }
    defer {
      run.jobs.running[ordinal] = nil
      job.whenLogged = { _ in }
      job.whenWaiting = { _ in }
      note(nil)
    }
    var reason = ""
    for start in 0..<Self.mostStarts {
      if start > 0 { try await run.services.context.operationDelayer.delay(for: Self.pause * (1 << (start - 1))) }
      let end: JobEnd
      switch try await begin(job) {
      case .running(let handle): end = await self.end(of: handle, job)
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
    return JobEnd(cause: .notBegun(reason.isEmpty ? "all \(Self.mostStarts) attempts to start it failed" : reason))
  }

  /// Starts a job, unless a former host did, or may have.
  private nonisolated(nonsending) func begin(_ job: Job) async throws -> JobRecovery {
    let executor = executor
    if let former = run.jobs.former.removeValue(forKey: ordinal) {
      let recovery = try await recover(former.handle)
      if case .notBegun = recovery {} else { return recovery }
    }
    // Until the executor has reported the job's name, it is unknown whether it has begun, and the next host has to ask the executor.
    try await makeDurable(JobHandle(job: job.id, name: .open))
    switch await executor.start(job) {
    case .begun(let handle):
      // Before anything waits for it: the job continues whatever becomes of this host.
      do { try await makeDurable(handle) } catch {
        executor.stop([handle], grace: .zero)
        throw error
      }
      note(nil)
      return .running(handle)
    case .refused(let error): throw error
    case .notBegun(let reason): return .notBegun(reason: reason)
    case .open(let handle): return try await recover(handle)
    }
  }

  /// Recovers a job that may be running. If it is, this is recorded before anything waits for it.
  private nonisolated(nonsending) func recover(_ handle: JobHandle) async throws -> JobRecovery {
    note(handle)
    let recovery = await executor.recover(handle)
    if case .running(let known) = recovery { try await makeDurable(known) }
    return recovery
  }

  private nonisolated(nonsending) func makeDurable(_ handle: JobHandle) async throws {
    note(handle)
    guard !executor.keepsHandles else { return }
    run.recorder.append(ordinal)
    try await run.services.recorder.flush()
  }

  private nonisolated(nonsending) func end(of handle: JobHandle, _ job: Job) async -> JobEnd {
    note(handle)
    let (loop, grace, runner) = (run.services.loop, job.grace, LoopBound(self))
    if run.isForced { stop(handle, grace: .zero) }
    return await withTaskCancellationHandler {
      await runner.value.executor.end(of: handle, job)
    } onCancel: {
      loop.execute { runner.value.stop(handle, grace: grace) }
    }
  }

  private func stop(_ handle: JobHandle, grace: Duration) {
    // The job of a run that another host has claimed belongs to that host.
    if !run.ending.isLost { executor.stop([handle], grace: grace) }
  }
}
