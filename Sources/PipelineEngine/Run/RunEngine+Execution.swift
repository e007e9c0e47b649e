import Expressions
import Operations
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// An operation from the end of its dependencies to its own end: conditions, loops, reuse, exclusion, and attempts with their modifiers.
extension RunEngine {
  /// Runs one operation of the pipeline to its end.
  func execute(_ ordinal: Int) async {
    await executeNode(ordinal)
    hasFinished(ordinal)
  }

  /// Completes an operation of the pipeline that has ended: releases what it still holds and settles its dependents.
  func hasFinished(_ ordinal: Int) {
    AttemptTurn(run: run, ordinal: ordinal).endEarly()
    run.jobs.discardPrepared(ordinal)
    AttemptTurn(run: run, ordinal: ordinal).giveUp()
    settle(ordinal)
  }

  /// Runs an operation or a handler to its end, without settling its dependents.
  func executeNode(_ ordinal: Int) async {
    let node = run.state.instances[ordinal].node
    if RunTakeover(run: run).takeOverAsBefore(ordinal) { return }
    do {
      if let condition = node.definition.condition, !node.conditionIsPerItem, run.jobs.former[ordinal] == nil,
        try await !run.isSatisfied(condition, for: ordinal)
      {
        if run.isCalledOff(ordinal) { return concludeCalledOff(ordinal) }
        return run.recorder.conclude(ordinal, .skipped(.condition(condition.text)))
      }
      if run.mayBeAsked(ordinal), run.cancellation != nil { run.ending.spare(ordinal) }
      if node.definition.loop != nil {
        guard try await OperationGate(run: run, ordinal: ordinal).pass() else { return }
        try await executeLoop(ordinal)
      } else {
        try await executeInstance(ordinal)
      }
    } catch {
      fail(ordinal, error)
    }
  }

  /// Runs an operation without a loop, or one item.
  func executeInstance(_ ordinal: Int) async throws {
    let node = run.state.instances[ordinal].node
    if node.definition.mayBeReused, run.jobs.former[ordinal] == nil,
      try await OperationReuse(run: run, ordinal: ordinal).perform()
    {
      return
    }
    if run.state.instances[ordinal].parent == nil, try await !OperationGate(run: run, ordinal: ordinal).pass() {
      return
    }
    guard let exclusive = node.definition.exclusive else { return try await executeAttempts(ordinal) }
    try await run.readFiles(ordinal, for: .exclusive)
    let name = try exclusive.evaluate(in: run.contexts(ordinal)).injectedText
    run.dropReadings(ordinal)
    guard !name.isEmpty else {
      throw OperationFailure(code: "value-mismatch", message: "exclusive: the name is empty")
    }
    // Exclusive names are visible to every user of the workspace, long after the run. A param may contain a secret; the checker has already checked
    // literal names.
    guard
      run.parent == nil || !node.definition.receivesSecret || exclusive.isLiteral
        || run.state.given.masker.mask(name) == name
    else {
      throw OperationFailure(
        code: "secret-exposed", ownWords: "exclusive: the name contains a secret, and names are not masked")
    }
    try await executeHolding(name, ordinal)
  }

  /// Runs the action with its timeout, retries and repetition, each of which is a modifier from `Operations`.
  func executeAttempts(_ ordinal: Int) async throws {
    let node = run.state.instances[ordinal].node
    if run.state.instances[ordinal].turn.isEarly {
      ProcessAttempt(run: run, ordinal: ordinal).prepare()
    }
    let isTriedOnce = node.isTriedOnce && run.state.former[ordinal]?.retryState == nil
    if isTriedOnce, node.definition.timeout == nil { return try await executeAttempt(ordinal) }
    let attempts = ActionOperation(run: LoopBound(run), ordinal: ordinal)
      .timeout(timeLimit(ordinal))
      .modifier(AttemptModifier(run: LoopBound(run), ordinal: ordinal))
    let result: OperationResult
    if isTriedOnce {
      result = try await OperationRunner(attempts, context: run.services.context).run(isolation: self)
    } else {
      let (turn, retries) = (AttemptTurn(run: run, ordinal: ordinal), AttemptRetries(run: run, ordinal: ordinal))
      try await awaitRound(ordinal)
      try await turn.awaitFirst()
      defer { turn.giveUp() }
      if retries.resumeWait() {
        // It needs nothing until its next attempt, which acquires it again.
        turn.endEarly()
        turn.giveUp()
      }
      var context = run.services.context
      context.retryObserver = retries.retryObserver()
      context.retryState = run.state.former[ordinal]?.retryState
      var policy = node.definition.retryPolicy
      policy.wakers =
        try retries.wakers() + node.action.retryWakers(ordinal, of: run) + [
          RequestedRetryWaker(run: LoopBound(run), ordinal: ordinal)
        ]
      policy.decide = node.definition.retryDecision(of: node.action, budget: run.services.http.budget)
      let operation = attempts.retry(policy).modifier(UntilModifier(run: LoopBound(run), ordinal: ordinal))
        .repeating(repeatPolicy(ordinal))
      result = try await OperationRunner(operation, context: context).run(isolation: self)
    }
    succeed(ordinal, result)
  }

  /// Returns how long an attempt may take. For an approval that a former host requested, this is the remaining time, but at least one second, so that
  /// an answer given in the meantime is found.
  private func timeLimit(_ ordinal: Int) -> Duration? {
    let limit = run.state.instances[ordinal].node.definition.timeout
    if limit != nil, run.state.instances[ordinal].node.action.startsJob, run.executor(ordinal).keepsTimeLimits {
      return nil
    }
    guard let limit, let asked = run.state.former[ordinal]?.asked else { return limit }
    let now = run.services.moment()
    let passed = RecordedWait.passed(
      run.state.former[ordinal]?.wait, wall: .microseconds(now.time.microseconds - asked.microseconds),
      at: now)
    return min(limit, max(limit - passed, .seconds(1)))
  }

  /// Runs the action as a single attempt, as for most operations, which have no modifiers.
  private func executeAttempt(_ ordinal: Int) async throws {
    let action = run.state.instances[ordinal].node.action
    succeed(
      ordinal,
      try await Attempt(run: run, ordinal: ordinal).perform { [run] in
        try await action.perform(ordinal, of: run)
      })
  }

  func succeed(_ ordinal: Int, _ result: OperationResult) {
    run.dropReadings(ordinal)
    var settled = run.state.instances[ordinal].latest
    settled.result = result
    if run.state.instances[ordinal].node.definition.repetition != nil {
      run.state.previous[ordinal] = nil
      // The result is kept once, with the operation.
      run.state.instances[ordinal].attempt?.result = .none
    }
    run.recorder.conclude(ordinal, .succeeded(settled))
  }

  /// Ends an operation with the error it threw.
  func fail(_ ordinal: Int, _ error: any Error) {
    run.dropReadings(ordinal)
    run.state.previous[ordinal] = nil
    run.state.modify(ordinal) { instance in
      // A failing repetition may have had results. They remain with their attempts; an operation that did not succeed has none.
      if instance.attempt?.state == .succeeded { instance.attempt?.result = instance.latest.recorded }
      instance.latest = SettledResult()
    }
    if error is CancellationError, run.cancellation == nil, !run.isForced, let end = run.earlyEnd(of: ordinal) {
      return run.recorder.conclude(
        ordinal, .cancelled(.itemsFailed(Int64(end.failures), of: end.loop), run.cancellationError(ordinal)))
    }
    if error is CancellationError || run.isForced
      || (run.cancellation != nil && (error as? OperationFailure)?.code == "cancelled")
    {
      return run.recorder.conclude(
        ordinal, .cancelled(run.cancellationReason, run.cancellationError(ordinal)))
    }
    let failure = OperationFailure(error)
    run.recorder.conclude(
      ordinal, .failed(failure, notRetried: AttemptRetries(run: run, ordinal: ordinal).notRetried(failure)))
    guard let engineError = failure.engineError, run.ending.failure == nil else { return }
    fail(with: engineError)
  }

  private func repeatPolicy(_ ordinal: Int) -> RepeatPolicy<OperationResult>? {
    guard let repetition = run.state.instances[ordinal].node.definition.repetition else { return nil }
    let until: RepeatPolicy<OperationResult>.Until? = repetition.until.map { condition in
      { @Sendable [unowned self] result, _ in
        try assumeIsolated { engine in
          let run = engine.run
          // `until` sees the latest result under the operation's own name.
          run.state.instances[ordinal].latest.result = result
          defer { run.dropReadings(ordinal) }
          return try run.holds(condition, for: ordinal)
        }
      }
    }
    var policy = RepeatPolicy(every: repetition.every, limit: repetition.limit, until: until)
    policy.runsBefore = run.state.former[ordinal]?.rounds ?? 0
    policy.willWait = { [unowned self] rounds in
      assumeIsolated { $0.waitsForRound(ordinal, number: rounds + 1, for: repetition.every) }
    }
    return policy
  }

  /// Records the wait between two rounds of a repetition.
  private func waitsForRound(_ ordinal: Int, number: Int, for duration: Duration) {
    guard duration > .zero else { return }
    let now = run.services.moment()
    let round = OperationReason.Round(
      number: Int64(number), due: now.time.advanced(by: duration.wholeMicroseconds),
      clock: RecordedWait.clock(now, left: duration))
    run.recorder.enter(ordinal, .waiting(.round(round)))
  }

  /// Waits for the next round of a repetition if a former host was waiting for it.
  private func awaitRound(_ ordinal: Int) async throws {
    guard let repetition = run.state.instances[ordinal].node.definition.repetition,
      let former = run.state.takeFormerWait(of: ordinal, for: .round)
    else { return }
    let left = former.left(of: repetition.every, at: run.services.moment())
    guard left > .zero else { return }
    waitsForRound(ordinal, number: (run.state.former[ordinal]?.rounds ?? 0) + 1, for: left)
    try await run.services.context.operationDelayer.delay(for: left)
  }
}
