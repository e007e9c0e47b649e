import Operations
import PipelineLanguage
import RunHistory
import Values

/// What happens between the attempts of one operation: the wait before the next one, what ends it early, and why there is none. All of it is recorded
/// in the history.
struct AttemptRetries {
  let run: Run
  let ordinal: Int

  /// Returns what can start the next attempt early.
  func wakers() throws -> [any RetryWaker] {
    let formulas = run.state.instances[ordinal].node.definition.retry.early
    guard !formulas.isEmpty else { return [] }
    return try formulas.enumerated().map { index, formula in
      // A path that cannot be computed fails the attempt rather than a wait.
      _ = try run.conditions.make(formula)
      return ConditionWaker(
        name: formula.text, formula: formula, conditions: LoopBound(run.conditions), context: run.services.context
      ) { [loop = run.services.loop, retries = LoopBound(self)] description in
        loop.execute { retries.value.earlyChanged(index, description) }
      }
    }
  }

  /// Returns what can end the wait that begins now, with the current values.
  private func early() -> [OperationReason.Early] {
    let formulas = run.state.instances[ordinal].node.definition.retry.early.compactMap { formula in
      let condition = try? run.conditions.make(formula, since: .now)
      return condition.map { early(formula, $0.description(in: run.services.context)) }
    }
    return formulas + run.state.instances[ordinal].node.action.retryEvents(ordinal, of: run)
  }

  private func early(
    _ formula: SpecificationFormula, _ description: SpecificationDescription
  ) -> OperationReason.Early {
    .specification(formula.text, value: description.isSatisfied, why: description.reason)
  }

  /// Updates the recorded wait after a change of one of the conditions that can end it.
  private func earlyChanged(_ index: Int, _ description: SpecificationDescription) {
    let instance = run.state.instances[ordinal]
    let formulas = instance.node.definition.retry.early
    // The conditions are followed by events, which have no value.
    guard case .retrying(var retry, let failure) = instance.status, retry.early.count >= formulas.count else { return }
    let now = early(formulas[index], description)
    guard retry.early[index] != now else { return }
    retry.early[index] = now
    run.recorder.enter(
      ordinal, .retrying(retry, after: failure), since: instance.timing.waitingSince, recordNow: true)
  }

  /// Returns an observer of the operation's retries, which records the chosen delay and what ended the wait.
  func retryObserver() -> RetryObserver {
    let retries = LoopBound(self)
    return RetryObserver(
      onWait: { retries.value.waitsForRetry($0) }, onWake: { retries.value.woke($0) },
      onGiveUp: { retries.value.gaveUp($0) })
  }

  /// Notes why there is no further attempt, for the report of the failure, unless it is obvious.
  private func gaveUp(_ reason: RetryGiveUpReason) {
    let why: OperationReason.NotRetried
    switch reason {
    case .stopped(OperationDefinition.notListed): why = .notListed
    case .stopped(let text): why = .stopped(text)
    case .deadline:
      why = .deadline(run.state.instances[ordinal].node.definition.retry.deadline.map(DurationNotation.format))
    case .limit, .cancelled: return
    }
    run.state.instances[ordinal].notRetried = why
  }

  /// Returns why a failed operation was not retried, for its record, or nil if its retries were used up.
  func notRetried(_ failure: OperationFailure) -> OperationReason.NotRetried? {
    let instance = run.state.instances[ordinal]
    if let why = instance.notRetried { return why }
    // A request that may do harm if repeated has no retries at all, so no retry decision was made.
    guard instance.node.action.refusesRetries, instance.node.definition.retry.limit == 0, let why = failure.stopReason
    else { return nil }
    return .stopped(why)
  }

  private func waitsForRetry(_ wait: RetryWait) {
    let due = RecordTime(microseconds: wait.due.seconds * 1_000_000 + Int64(wait.due.nanoseconds / 1000))
    if var attempt = run.state.instances[ordinal].attempt {
      attempt.retryDelay = wait.delay.wholeMicroseconds
      attempt.retryDue = due
      run.state.instances[ordinal].attempt = attempt
      run.observer.emit(.attempt(attempt))
    }
    enterWait(until: due, of: wait.delay, left: wait.delay, used: wait.attempt, after: OperationFailure(wait.error))
  }

  /// Enters the wait that a former host was in, with the time that remains: it is shown, and can be ended, as before. Returns false if there is none.
  func resumeWait() -> Bool {
    guard let state = run.state.former[ordinal]?.retryState, let left = state.remainingDelay, left > .zero,
      let attempt = run.state.instances[ordinal].attempt, let error = attempt.error
    else { return false }
    enterWait(
      until: run.services.now().advanced(by: left.wholeMicroseconds),
      of: attempt.retryDelay.map { .microseconds($0) } ?? left, left: left, used: state.attemptsUsed,
      after: OperationFailure(error, of: attempt))
    return true
  }

  /// - Parameters:
  ///   - due: When the wait ends.
  ///   - delay: The duration of the whole wait.
  ///   - left: The time that remains.
  ///   - used: How many attempts the retry has made.
  ///   - failure: The failure of the latest attempt.
  private func enterWait(
    until due: RecordTime, of delay: Duration, left: Duration, used: Int, after failure: OperationFailure
  ) {
    let definition = run.state.instances[ordinal].node.definition
    let attempts = run.state.instances[ordinal].attempts
    var retry = OperationReason.Retry(
      attempt: Int64(attempts), due: due, delay: delay.wholeMicroseconds / 1000, early: early())
    // Attempt numbers continue over hosts and rounds, which do not use up retries: the highest possible number is this one plus the retries left. In
    // a repetition it is unknown.
    if definition.repetition == nil { retry.last = Int64(attempts + definition.retry.limit + 1 - used) }
    let now = run.services.moment()
    retry.clock = RecordedWait.clock(now, left: left, passed: passed(at: now))
    // Recorded with the next commit rather than after a delay, because the wait may outlive this host.
    run.recorder.enter(ordinal, .retrying(retry, after: failure), recordNow: true)
  }

  /// Returns how long ago the first attempt of the operation began, by the monotonic clock, or nil if that is unknown, as after a reboot.
  private func passed(at now: RecordedWait.Moment) -> Duration? {
    let timing = run.state.instances[ordinal].timing
    return timing.started.map { run.services.clock.monotonic() - $0 }
      ?? run.state.former[ordinal]?.wait?.passedSinceBoot(at: now)
  }

  private func woke(_ cause: RetryWakeCause) {
    guard var attempt = run.state.instances[ordinal].attempt else { return }
    attempt.wakeCause =
      switch cause {
      case .delay: "delay"
      case .waker(let name): name
      case .cancelled: "cancelled"
      }
    run.state.instances[ordinal].attempt = attempt
    // The operation itself has not changed, only its attempt.
    run.recorder.write(run.recorder.operationRecord(ordinal), with: attempt)
    run.observer.emit(.attempt(attempt))
  }
}
