import Operations
import PipelineLanguage
import RunHistory
import Values

/// One try of an operation: its slot, its number, its record, and the wait before the next one.
extension RunEngine {
  /// What an attempt of the operation takes.
  func demand(_ ordinal: Int) -> RunLimits.Demand {
    let node = state.instances[ordinal].node
    return RunLimits.Demand(
      slots: node.needsSlot ? 1 : 0, resources: node.definition.resources, countsAtHost: !node.isNestedPipeline)
  }

  /// The process of an attempt has ended: what it held is free, though the attempt itself has yet to be ended.
  func processExited(_ ordinal: Int) {
    // Where this may be the failure that ends its loop, no further item begins before that is known.
    guard !mayEndLoop(ordinal) else { return }
    state.instances[ordinal].turn.hasReleased = true
    services.loop.urgently { release(demand(ordinal)) }
  }

  /// The operation has its slot, or will never need it: another one may be made ready.
  func endEarly(_ ordinal: Int) {
    guard state.instances[ordinal].turn.isEarly else { return }
    state.instances[ordinal].turn.isEarly = false
    queue.endEarly()
    wake()
  }

  /// Waits for what the attempt needs, and begins it.
  func beginAttempt(_ ordinal: Int) async throws {
    if state.instances[ordinal].attempts > 0 { try await keepFormerAttempt(ordinal) }
    try await takeTurn(ordinal)
    state.instances[ordinal].turn.hasSlot = false
    // After all that it may have waited for: what it is given is what is there now.
    do {
      try await readFiles(ordinal)
      if Task.isCancelled || isForced || isCalledOff(ordinal) { throw CancellationError() }
      try requireOwnership()
    } catch {
      release(demand(ordinal))
      throw error
    }
    countAttempt(ordinal)
  }

  /// Waits for what the first of several attempts needs where they have a deadline, of which that wait is no part. One that a former host has begun
  /// may wait for its next attempt first.
  func awaitTurn(_ ordinal: Int) async throws {
    guard state.instances[ordinal].node.definition.retry.deadline != nil, state.former[ordinal]?.retryState == nil
    else { return }
    try await takeTurn(ordinal)
  }

  /// Waits for what the next attempt needs, unless it has it: the scheduler may have taken the slot of the first one.
  private func takeTurn(_ ordinal: Int) async throws {
    guard !state.instances[ordinal].turn.hasSlot else { return }
    let demand = demand(ordinal)
    if demand.slots > 0 || !demand.resources.isEmpty, !limits.take(demand) {
      let resources = state.instances[ordinal].node.definition.resources
      if let missing = limits.unsatisfiable(demand) {
        let name = state.pipeline.resources[missing].name
        throw OperationFailure(
          code: "capacity-exceeded", message: "needs more of the resource '\(name)' than this host has")
      }
      if !resources.isEmpty {
        recorder.enter(ordinal, .waiting, .resources(resources.map { state.pipeline.resources[$0.resource].name }))
      } else if state.instances[ordinal].state != .pending {
        recorder.enter(ordinal, .waiting, .concurrency)
      }
      guard await limits.wait(for: demand, on: services.loop) else { throw CancellationError() }
    }
    state.instances[ordinal].turn.hasSlot = true
    endEarly(ordinal)
  }

  /// Gives back what was taken for an attempt that has not begun.
  func giveUpTurn(_ ordinal: Int) {
    guard state.instances[ordinal].turn.hasSlot else { return }
    state.instances[ordinal].turn.hasSlot = false
    release(demand(ordinal))
  }

  /// An attempt begins: it has what it needs. One that takes no time is told of when it has ended.
  func countAttempt(_ ordinal: Int, mayEndAtOnce: Bool = false, isMoment: Bool = false) {
    let (now, monotonic) = (services.now(), services.clock.monotonic())
    let former = jobs.former[ordinal]?.startedAt
    state.modify(ordinal) { instance in
      instance.attempts += 1
      // What failed before is in the record of that attempt.
      instance.failure = nil
      instance.timing.attemptStarted = former == nil ? monotonic : nil
      if instance.timing.startedAt == nil || isMoment {
        instance.timing.startedAt = now
        instance.timing.started = monotonic
      }
      if !isMoment {
        instance.attempt = AttemptRecord(
          run: state.id, ordinal: ordinal, number: instance.attempts, state: .running,
          startedAt: former ?? now)
      }
    }
    recorder.enter(ordinal, .running, at: now, mayEndAtOnce: mayEndAtOnce)
    if let attempt = state.instances[ordinal].attempt { observer.emitOnTheWay(.attempt(attempt)) }
  }

  /// Makes the attempt before the one that is about to begin durable: an attempt whose number a later one follows is never forgotten, whatever
  /// happens to this host.
  private func keepFormerAttempt(_ ordinal: Int) async throws {
    // In a repetition the attempt before ended well, and nothing else would record that.
    if let before = state.instances[ordinal].attempt, before.state == .succeeded {
      state.previous[ordinal] = state.instances[ordinal].result
      var kept = before
      kept.result = state.instances[ordinal].recordedResult
      // Whatever else records this attempt before the next one begins must not take its result away.
      state.instances[ordinal].attempt = kept
      services.recorder.record(.attempt(kept))
    }
    try await services.recorder.flush()
  }

  /// Ends the attempt and gives back what it held. Returns the error to go on with, nil after a success that could be kept.
  func endAttempt(
    _ ordinal: Int, _ outcome: Result<OperationResult, any Error>, isMoment: Bool = false
  ) -> (any Error)? {
    dropReadings(ordinal)
    var attempt: AttemptRecord
    if isMoment {
      // It held nothing.
      attempt = AttemptRecord(
        run: state.id, ordinal: ordinal, number: state.instances[ordinal].attempts, state: .running,
        startedAt: state.instances[ordinal].timing.startedAt ?? services.now())
    } else {
      if state.instances[ordinal].turn.hasReleased {
        state.instances[ordinal].turn.hasReleased = false
      } else {
        release(demand(ordinal))
      }
      guard let present = state.instances[ordinal].attempt else { return CancellationError() }
      attempt = present
    }
    attempt.endedAt = recorder.end(of: attempt.startedAt, state.instances[ordinal].timing.attemptStarted)
    var thrown: (any Error)? = CancellationError()
    switch outcome {
    case .success(let result):
      attempt.state = .succeeded
      thrown = nil
      do {
        let recorded = try recorder.recorded(result, of: ordinal)
        state.instances[ordinal].recordedResult = recorded
        if state.instances[ordinal].node.definition.repetition != nil {
          // The next round is given it, also by a host that resumes the run before that has begun.
          state.instances[ordinal].result = result
          attempt.result = recorded
          if case .file = result { state.files.areNeeded = true }
        }
      } catch {
        // A success without its result would be taken over by `resume` and `retry` as one that has none.
        thrown = fail(&attempt, with: error)
      }
    case .failure(let error):
      if error is CancellationError {
        attempt.state = .cancelled
      } else {
        thrown = fail(&attempt, with: asDeclared(error, ordinal))
      }
    }
    state.instances[ordinal].attempt = attempt
    // A nested run of it is none that a former host has begun.
    if state.hostAttempt > 1 { state.former[ordinal, default: FormerProgress()].note(attempt) }
    observer.emit(.attempt(attempt))
    return thrown
  }

  /// Of an approval that another host asked for, less than its timeout was left: the error names what its author wrote.
  private func asDeclared(_ error: any Error, _ ordinal: Int) -> any Error {
    guard error is OperationTimeoutError, let timeout = state.instances[ordinal].node.definition.timeout else {
      return error
    }
    return OperationTimeoutError(timeout)
  }

  private func fail(_ attempt: inout AttemptRecord, with error: any Error) -> OperationFailure {
    let failure = OperationFailure(error)
    attempt.state = .failed
    attempt.error = failure.recorded(state.given.masker)
    // A process that ended well can still have printed the wrong thing: then its code is known already.
    if let code = failure.exitCode { attempt.exitCode = Int(code) }
    attempt.signal = failure.signal.map(Int.init)
    return failure
  }

  /// What brings the next attempt forward.
  func wakers(_ ordinal: Int) throws -> [any RetryWaker] {
    let formulas = state.instances[ordinal].node.definition.retry.early
    guard !formulas.isEmpty else { return [] }
    return try formulas.enumerated().map { index, formula in
      // A path that cannot be computed fails the attempt, not a wait.
      _ = try conditions.make(formula)
      return ConditionWaker(
        name: formula.text, formula: formula, conditions: LoopBound(conditions), context: services.context
      ) { [weak self, loop = services.loop] description in
        loop.execute { [weak self] in self?.assumeIsolated { $0.earlyChanged(ordinal, index, description) } }
      }
    }
  }

  /// What would bring the retry that begins to wait forward, and what it is now.
  private func early(_ ordinal: Int) -> [OperationReason.Early] {
    let formulas = state.instances[ordinal].node.definition.retry.early.compactMap { formula in
      let condition = try? conditions.make(formula, since: .now)
      return condition.map { early(formula, $0.description(in: services.context)) }
    }
    return formulas + state.instances[ordinal].node.action.retryEvents(ordinal, in: self)
  }

  private func early(
    _ formula: SpecificationFormula, _ description: SpecificationDescription
  ) -> OperationReason.Early {
    .specification(formula.text, value: description.isSatisfied, why: description.reason)
  }

  /// One of the conditions that bring a waiting retry forward has changed: what is said of the wait is to say so.
  private func earlyChanged(_ ordinal: Int, _ index: Int, _ description: SpecificationDescription) {
    let instance = state.instances[ordinal]
    let formulas = instance.node.definition.retry.early
    // What comes behind the formulas are events, which have no value.
    guard instance.state == .retrying, case .retry(var retry)? = instance.reason, retry.early.count >= formulas.count
    else { return }
    let now = early(formulas[index], description)
    guard retry.early[index] != now else { return }
    retry.early[index] = now
    recorder.enter(ordinal, .retrying, .retry(retry), since: instance.timing.waitingSince, recordNow: true)
  }

  /// Follows the retries of an operation: the chosen delay and what ended the wait are part of the history.
  func retryObserver(_ ordinal: Int) -> RetryObserver {
    RetryObserver(
      onWait: { [unowned self] wait in assumeIsolated { $0.waitsForRetry(ordinal, wait) } },
      onWake: { [unowned self] cause in assumeIsolated { $0.woke(ordinal, cause) } },
      onGiveUp: { [unowned self] reason in assumeIsolated { $0.gaveUp(ordinal, reason) } })
  }

  /// There is no further attempt: why is part of what is told of the failure, where that is not plain.
  private func gaveUp(_ ordinal: Int, _ reason: RetryGiveUpReason) {
    let why: OperationReason.NotRetried
    switch reason {
    case .stopped(OperationDefinition.notListed): why = .notListed
    case .stopped(let text): why = .stopped(text)
    case .deadline:
      why = .deadline(state.instances[ordinal].node.definition.retry.deadline.map(DurationNotation.format))
    case .limit, .cancelled: return
    }
    state.instances[ordinal].reason = .failed(code: nil, notRetried: why)
  }

  /// Why a failed operation was not tried again, for its record; nil where it was as often as it can be.
  func notRetried(_ ordinal: Int, _ failure: OperationFailure) -> OperationReason.NotRetried? {
    let instance = state.instances[ordinal]
    if let why = instance.reason?.notRetried { return why }
    // A request that may do harm twice has no retries at all, so that nobody is asked about them.
    guard instance.node.action.refusesRetries, instance.node.definition.retry.limit == 0, let why = failure.stopReason
    else { return nil }
    return .stopped(why)
  }

  private func waitsForRetry(_ ordinal: Int, _ wait: RetryWait) {
    let due = RecordTime(microseconds: wait.due.seconds * 1_000_000 + Int64(wait.due.nanoseconds / 1000))
    state.instances[ordinal].failure = OperationFailure(wait.error).masked(by: state.given.masker)
    if var attempt = state.instances[ordinal].attempt {
      attempt.retryDelay = wait.delay.wholeMicroseconds
      attempt.retryDue = due
      state.instances[ordinal].attempt = attempt
      observer.emit(.attempt(attempt))
    }
    let definition = state.instances[ordinal].node.definition
    let attempts = state.instances[ordinal].attempts
    var retry = OperationReason.Retry(
      attempt: Int64(attempts), due: due, delay: wait.delay.wholeMicroseconds / 1000, early: early(ordinal))
    // Attempts count on over hosts and rounds, which take nothing from the retries: the last number there can be is the retries that are left on top of
    // this one. In a repetition nobody knows it.
    if definition.repetition == nil { retry.last = Int64(attempts + definition.retry.limit + 1 - wait.attempt) }
    let now = services.moment()
    retry.clock = RecordedWait.clock(now, left: wait.delay, passed: passed(ordinal, at: now))
    // Recorded with the next commit rather than after a delay of its own: the wait may outlive this host.
    recorder.enter(ordinal, .retrying, .retry(retry), recordNow: true)
  }

  /// How long ago the first attempt of an operation began, by the monotonic clock; nil where nobody knows, as after another boot.
  private func passed(_ ordinal: Int, at now: RecordedWait.Moment) -> Duration? {
    let timing = state.instances[ordinal].timing
    return timing.started.map { services.clock.monotonic() - $0 }
      ?? state.former[ordinal]?.wait?.passedSinceBoot(at: now)
  }

  private func woke(_ ordinal: Int, _ cause: RetryWakeCause) {
    guard var attempt = state.instances[ordinal].attempt else { return }
    attempt.wakeCause =
      switch cause {
      case .delay: "delay"
      case .waker(let name): name
      case .cancelled: "cancelled"
      }
    state.instances[ordinal].attempt = attempt
    // The operation itself is where it was: only its attempt is news.
    recorder.write(recorder.operationRecord(ordinal), with: attempt)
    observer.emit(.attempt(attempt))
  }
}
