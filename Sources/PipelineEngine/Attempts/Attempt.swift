import Operations
import PipelineLanguage
import RunHistory

/// One attempt of one operation. Each has a number, one beginning and one end, and is recorded.
struct Attempt {
  let run: Run
  let ordinal: Int

  private var node: OperationNode { run.state.instances[ordinal].node }

  /// Performs the attempt, from acquiring what it needs to its record. What ``RunEngine/beginAtOnce(_:)`` begins without its own task has the same
  /// beginning, end and record.
  nonisolated(nonsending) func perform(_ body: AttemptEnd) async throws -> OperationResult {
    try await begin()
    return try await finish(body)
  }

  /// Waits for the end of an attempt that has begun, and records it.
  nonisolated(nonsending) func finish(_ body: AttemptEnd) async throws -> OperationResult {
    let outcome: Result<OperationResult, any Error>
    do {
      outcome = .success(try await body())
    } catch {
      outcome = .failure(error)
    }
    await run.writeIfLarge(ordinal, outcome)
    return try finish(outcome)
  }

  /// Records the end of an attempt, whose result is already written if it is large.
  func finish(_ outcome: Result<OperationResult, any Error>) throws -> OperationResult {
    if let error = end(outcome) { throw error }
    return try outcome.get()
  }

  /// Acquires what the attempt needs, and begins it.
  private nonisolated(nonsending) func begin() async throws {
    if node.isMoment {
      try await awaitWriting { try await readFiles() }
      return count(mayEndAtOnce: true)
    }
    if run.state.instances[ordinal].attempts > 0 { try await keepFormer() }
    try await AttemptTurn(run: run, ordinal: ordinal).take()
    // Read after everything it may have waited for, so that its inputs are current.
    do {
      try await awaitWriting { try await readFiles() }
      try run.requireOwnership()
    } catch {
      AttemptTurn(run: run, ordinal: ordinal).giveUp()
      throw error
    }
    run.state.instances[ordinal].turn.hasSlot = false
    count()
  }

  /// Waits until new work may begin, with `body` completed by then.
  private nonisolated(nonsending) func awaitWriting(_ body: nonisolated(nonsending) () async throws -> Void)
    async throws
  {
    repeat {
      if !run.services.writing.mayBegin, await !run.services.writing.wait() { throw CancellationError() }
      try await body()
    } while !run.services.writing.mayBegin
  }

  /// Reads what its expressions use from files, once it is known that it may begin.
  private nonisolated(nonsending) func readFiles() async throws {
    while true {
      await run.awaitAnswer(ordinal)
      guard run.mayGoOn(ordinal) else { throw CancellationError() }
      try await run.readFiles(ordinal)
      // The run may have been cancelled in the meantime, so that its `when` may have to be evaluated first.
      if !run.isAsked(ordinal), run.mayGoOn(ordinal) { return }
      run.dropReadings(ordinal)
    }
  }

  /// Begins the attempt if it already has what it needs. Returns false and does nothing if it has to wait for its slot first.
  func beginAtOnce() throws -> Bool {
    if !node.isMoment {
      guard run.state.instances[ordinal].turn.hasSlot else { return false }
      try run.requireOwnership()
      run.state.instances[ordinal].turn.hasSlot = false
    }
    count(mayEndAtOnce: true)
    return true
  }

  /// Begins an attempt that has what it needs. Observers are notified of one that takes no time only when it has ended.
  private func count(mayEndAtOnce: Bool = false) {
    let isMoment = node.isMoment
    let (now, monotonic) = (run.services.now(), run.services.clock.monotonic())
    let former = run.jobs.former[ordinal]?.startedAt
    run.state.modify(ordinal) { instance in
      instance.attempts += 1
      instance.timing.attemptStarted = former == nil ? monotonic : nil
      if instance.timing.startedAt == nil || isMoment {
        instance.timing.startedAt = now
        instance.timing.started = monotonic
      }
      if !isMoment {
        instance.attempt = AttemptRecord(
          run: run.state.id, ordinal: ordinal, number: instance.attempts, state: .running,
          startedAt: former ?? now)
      }
    }
    // The previous failure is in the record of that attempt.
    run.recorder.enter(ordinal, .running(), at: now, mayEndAtOnce: mayEndAtOnce)
    if let attempt = run.state.instances[ordinal].attempt { run.observer.emitOnTheWay(.attempt(attempt)) }
  }

  /// Makes the previous attempt durable before the next one begins: an attempt with a successor is never lost, whatever happens to this host.
  private nonisolated(nonsending) func keepFormer() async throws {
    // In a repetition the previous attempt succeeded, which nothing else would record.
    if let before = run.state.instances[ordinal].attempt, before.state == .succeeded {
      run.state.previous[ordinal] = run.state.instances[ordinal].latest.result
      var kept = before
      kept.result = run.state.instances[ordinal].latest.recorded
      // If this attempt is recorded again before the next one begins, its result must be kept.
      run.state.instances[ordinal].attempt = kept
      run.services.recorder.record(.attempt(kept))
    }
    if !run.services.writing.mayBegin, await !run.services.writing.wait() { throw CancellationError() }
    try await run.services.recorder.flush()
  }

  /// Ends the attempt and releases what it held. Returns the error that ends it, or nil after a success whose result could be kept.
  private func end(_ outcome: Result<OperationResult, any Error>) -> (any Error)? {
    run.dropReadings(ordinal)
    var attempt: AttemptRecord
    if node.isMoment {
      // It held nothing.
      attempt = AttemptRecord(
        run: run.state.id, ordinal: ordinal, number: run.state.instances[ordinal].attempts, state: .running,
        startedAt: run.state.instances[ordinal].timing.startedAt ?? run.services.now())
    } else {
      if run.state.instances[ordinal].turn.hasReleased {
        run.state.instances[ordinal].turn.hasReleased = false
      } else {
        run.releaseAll(of: ordinal)
      }
      guard let present = run.state.instances[ordinal].attempt else { return CancellationError() }
      attempt = present
    }
    attempt.endedAt = run.recorder.end(of: attempt.startedAt, run.state.instances[ordinal].timing.attemptStarted)
    var thrown: (any Error)? = CancellationError()
    switch outcome {
    case .success(let result):
      attempt.state = .succeeded
      thrown = nil
      do {
        let recorded = try run.recorder.recorded(result, of: ordinal)
        run.state.instances[ordinal].latest.recorded = recorded
        if node.definition.repetition != nil {
          // The next round receives it, even in a host that resumes the run before the round has begun.
          run.state.instances[ordinal].latest.result = result
          attempt.result = recorded
          run.state.files.note(result, of: ordinal)
        }
      } catch {
        // A success recorded without its result would be reused by `resume` and `retry` as one that has none.
        thrown = fail(&attempt, with: error)
      }
    case .failure(let error):
      if error is CancellationError {
        attempt.state = .cancelled
        attempt.error = run.cancellationError(ordinal).recorded(run.state.given.masker)
      } else {
        thrown = fail(&attempt, with: asDeclared(error))
      }
    }
    run.state.instances[ordinal].attempt = attempt
    // A nested run of this attempt is not one that a former host began.
    if run.state.hostAttempt > 1 { run.state.former[ordinal, default: FormerProgress()].note(attempt) }
    run.observer.emit(.attempt(attempt))
    return thrown
  }

  /// Replaces the time limit in a timeout error by the declared one: an approval that another host requested had less than its timeout left.
  private func asDeclared(_ error: any Error) -> any Error {
    guard error is OperationTimeoutError, let timeout = node.definition.timeout else {
      return error
    }
    return OperationTimeoutError(timeout)
  }

  private func fail(_ attempt: inout AttemptRecord, with error: any Error) -> OperationFailure {
    let failure = OperationFailure(error)
    // Observers of the failure show the last lines in their order.
    run.logs.index.flush()
    attempt.state = .failed
    attempt.error = failure.recorded(run.state.given.masker)
    // A process that exited successfully may still have printed something invalid; its exit code is known already.
    if let code = failure.exitCode { attempt.exitCode = Int(code) }
    attempt.signal = failure.signal.map(Int.init)
    return failure
  }
}
