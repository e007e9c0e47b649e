import Expressions
import Operations
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// From "its dependencies have ended" to "it has ended": conditions, loops, reuse, exclusion and the attempts with
/// their modifiers.
extension RunEngine {
  /// Runs one operation of the pipeline to its end.
  func execute(_ ordinal: Int) async {
    await executeNode(ordinal)
    hasFinished(ordinal)
  }

  /// An operation of the pipeline has come to its end: what it may still hold is given back, and its dependents are told.
  func hasFinished(_ ordinal: Int) {
    endEarly(ordinal)
    jobs.discardPrepared(ordinal)
    giveUpTurn(ordinal)
    settle(ordinal)
  }

  /// Runs an operation or a handler to its end, without telling its dependents.
  func executeNode(_ ordinal: Int) async {
    let node = state.instances[ordinal].node
    if takeOverAsBefore(ordinal) { return }
    do {
      if let condition = node.definition.condition, !node.conditionIsPerItem, jobs.former[ordinal] == nil,
        try await !isSatisfied(condition, for: ordinal)
      {
        if isCalledOff(ordinal) { return concludeCalledOff(ordinal) }
        return recorder.conclude(ordinal, .skipped, .condition(condition.text))
      }
      if mayBeAsked(ordinal), cancellation != nil { ending.spare(ordinal) }
      if node.definition.loop != nil {
        guard try await passGate(ordinal) else { return }
        try await executeLoop(ordinal)
      } else {
        try await executeInstance(ordinal)
      }
    } catch {
      fail(ordinal, error)
    }
  }

  /// Runs what has no loop of its own: an operation, or one item.
  func executeInstance(_ ordinal: Int) async throws {
    let node = state.instances[ordinal].node
    if node.definition.mayBeReused, jobs.former[ordinal] == nil, try await reuse(ordinal) { return }
    if state.instances[ordinal].parent == nil, try await !passGate(ordinal) { return }
    guard let exclusive = node.definition.exclusive else { return try await executeAttempts(ordinal) }
    try await readFiles(ordinal, for: .exclusive)
    let name = try exclusive.evaluate(in: contexts(ordinal)).injectedText
    dropReadings(ordinal)
    guard !name.isEmpty else {
      throw OperationFailure(code: "value-mismatch", message: "exclusive: the name is empty")
    }
    // Names are in the workspace for everybody to see, long after the run. A param may bring a secret along; what the pipeline names itself the checker
    // has looked at.
    guard
      parent == nil || !node.definition.receivesSecret || exclusive.isLiteral || state.given.masker.mask(name) == name
    else {
      throw OperationFailure(
        code: "secret-exposed", ownWords: "exclusive: the name has a secret in it, and names are shown")
    }
    let key = exclusiveKey(name)
    if services.locks.isTaken(key) {
      recorder.enter(ordinal, .waiting, .exclusive(OperationReason.Exclusive(name: name)))
    }
    let holder = LeaseHolder(run: state.id, operation: state.instances[ordinal].name)
    let hold = try await services.locks.take(key, holder: holder, watch: services.observations.watch) { other in
      recorder.enter(
        ordinal, .waiting,
        .exclusive(
          OperationReason.Exclusive(name: name, holder: other.description, process: Int64(other.process))),
        recordNow: true)
    } noticing: { notice in
      observer.emit(.notice(state.id, notice))
    }
    do {
      try await executeAttempts(ordinal)
    } catch {
      await services.locks.giveBack(hold)
      throw error
    }
    await services.locks.giveBack(hold)
  }

  /// What is held for an exclusive name. Inside an operation that holds the name already, it is held within that
  /// operation alone: its nested runs would otherwise wait for the operation that waits for them.
  private func exclusiveKey(_ name: String) -> String {
    brief.heldNames[name].map { "exclusive:\(name) within \($0.text)" } ?? "exclusive:\(name)"
  }

  /// The exclusive names that a nested run of an operation finds held around it.
  func namesHeld(by ordinal: Int) throws -> [String: RunID] {
    guard let exclusive = state.instances[ordinal].node.definition.exclusive else { return brief.heldNames }
    var names = brief.heldNames
    names[try exclusive.evaluate(in: contexts(ordinal)).injectedText] = state.id
    return names
  }

  /// Runs the action with its timeout, its retries and its repetition, each of them the modifier of `Operations`.
  private func executeAttempts(_ ordinal: Int) async throws {
    let node = state.instances[ordinal].node
    if let action = node.moment {
      try await readFiles(ordinal)
      let outcome = beginMoment(ordinal, action)
      dropReadings(ordinal)
      await writeIfLarge(ordinal, outcome)
      return try endOnlyAttempt(ordinal, outcome, isMoment: true)
    }
    if state.instances[ordinal].turn.isEarly {
      prepareJob(ordinal)
    }
    let isTriedOnce = node.isTriedOnce && state.former[ordinal]?.retryState == nil
    if isTriedOnce, node.definition.timeout == nil { return try await executeAttempt(ordinal) }
    let attempts = ActionOperation(engine: self, ordinal: ordinal)
      .timeout(timeLimit(ordinal))
      .modifier(AttemptModifier(engine: self, ordinal: ordinal))
    let result: OperationResult
    if isTriedOnce {
      result = try await OperationRunner(attempts, context: services.context).run(isolation: self)
    } else {
      try await awaitTurn(ordinal)
      defer { giveUpTurn(ordinal) }
      var context = services.context
      context.retryObserver = retryObserver(ordinal)
      context.retryState = state.former[ordinal]?.retryState
      var policy = node.definition.retryPolicy
      policy.wakers = try wakers(ordinal) + node.action.retryWakers(ordinal, in: self)
      policy.decide = node.definition.retryDecision(of: node.action, budget: services.http.budget)
      let operation = attempts.retry(policy).modifier(UntilModifier(engine: self, ordinal: ordinal))
        .repeating(repeatPolicy(ordinal))
      result = try await OperationRunner(operation, context: context).run(isolation: self)
    }
    succeed(ordinal, result)
  }

  /// How long an attempt may take. For an approval that a former host asked for, what is left of that; at least a second, in which an
  /// answer that came meanwhile is found.
  private func timeLimit(_ ordinal: Int) -> Duration? {
    let limit = state.instances[ordinal].node.definition.timeout
    guard let limit, let asked = state.former[ordinal]?.asked else { return limit }
    let now = services.moment()
    let passed = RecordedWait.passed(
      state.former[ordinal]?.wait, wall: .microseconds(now.time.microseconds - asked.microseconds),
      at: now)
    return min(limit, max(limit - passed, .seconds(1)))
  }

  /// Most operations have no modifiers: then the action is run as the one attempt it is.
  private func executeAttempt(_ ordinal: Int) async throws {
    try await beginAttempt(ordinal)
    let outcome: Result<OperationResult, any Error>
    do {
      outcome = .success(try await perform(ordinal))
    } catch {
      outcome = .failure(error)
    }
    await writeIfLarge(ordinal, outcome)
    try endOnlyAttempt(ordinal, outcome)
  }

  /// Ends the only attempt, and the operation where that went well.
  func endOnlyAttempt(
    _ ordinal: Int, _ outcome: Result<OperationResult, any Error>, isMoment: Bool = false
  ) throws {
    if let error = endAttempt(ordinal, outcome, isMoment: isMoment) { throw error }
    succeed(ordinal, try outcome.get())
  }

  /// A value needs no process, no slot and no waiting: it is computed on the spot, as the one attempt it is.
  func beginMoment(_ ordinal: Int, _ action: ValueAction) -> Result<OperationResult, any Error> {
    countAttempt(ordinal, mayEndAtOnce: true, isMoment: true)
    return Result { try action.result(of: ordinal, in: self) }
  }

  private func succeed(_ ordinal: Int, _ result: OperationResult) {
    dropReadings(ordinal)
    state.instances[ordinal].result = result
    if state.instances[ordinal].node.definition.repetition != nil {
      state.previous[ordinal] = nil
      // It is kept with the operation, once.
      state.instances[ordinal].attempt?.result = .none
    }
    recorder.conclude(ordinal, .succeeded)
  }

  /// Ends an operation with what it threw.
  func fail(_ ordinal: Int, _ error: any Error) {
    dropReadings(ordinal)
    state.previous[ordinal] = nil
    state.modify(ordinal) { instance in
      // A repetition that fails may have had results. They stay those of its attempts; what did not succeed has none.
      if instance.attempt?.state == .succeeded { instance.attempt?.result = instance.recordedResult }
      instance.result = .none
      instance.recordedResult = .none
    }
    if error is CancellationError, cancellation == nil, !isForced, let end = earlyEnd(of: ordinal) {
      let items = end.failures == 1 ? "item" : "items"
      return recorder.conclude(
        ordinal, .cancelled, .itemsFailed(Int64(end.failures), of: end.loop),
        failure: OperationFailure(code: "items-failed", ownWords: "\(end.failures) \(items) of '\(end.loop)' failed"))
    }
    if error is CancellationError || isForced
      || (cancellation != nil && (error as? OperationFailure)?.code == "cancelled")
    {
      return recorder.conclude(
        ordinal, .cancelled, cancellationReason,
        failure: OperationFailure(code: "cancelled", ownWords: "the run was cancelled"))
    }
    let failure = OperationFailure(error)
    recorder.conclude(
      ordinal, .failed, .failed(code: failure.code, notRetried: notRetried(ordinal, failure)), failure: failure)
    guard let engineError = failure.engineError, ending.failure == nil else { return }
    fail(with: engineError)
  }

  // MARK: Expressions

  /// What the expressions of an operation see.
  func contexts(_ ordinal: Int, environment: [(name: String, value: String)] = []) -> RunContexts {
    RunContexts(run: state, ordinal: ordinal, environment: environment)
  }

  /// Whether `when` holds, by what is in files now.
  func isSatisfied(_ condition: Expression, for ordinal: Int) async throws -> Bool {
    try await readFiles(ordinal, for: .condition)
    defer { dropReadings(ordinal) }
    return try holds(condition, for: ordinal)
  }

  /// The same, with what is known of files; what is not, it reads on the loop.
  func holds(_ condition: Expression, for ordinal: Int) throws -> Bool {
    do {
      return try condition.isTruthy(in: contexts(ordinal))
    } catch {
      throw OperationFailure(code: "expression", message: "when: \(error.message)")
    }
  }

  /// A computed value, when it is of the declared type, and JSON: what the history could not hold, a run that is gone on with would not have.
  func checkedValue(_ value: JSONValue, _ ordinal: Int) throws -> JSONValue {
    let node = state.instances[ordinal].node
    if let problem = value.problemBeyondJSON {
      throw OperationFailure(
        code: "result-invalid", message: "the value \(problem); give it as text, or leave it out")
    }
    if let type = node.definition.result { _ = try ResultText.checked(value, as: type) }
    return try secrets.without(value, of: node)
  }

  /// Reads what `until` is about to ask files for. It sees the latest result under the operation's own name.
  func prepareUntil(_ ordinal: Int, _ result: OperationResult) async throws {
    guard state.instances[ordinal].node.definition.repetition?.until != nil else { return }
    state.instances[ordinal].result = result
    if case .file = result { state.files.areNeeded = true }
    try await readFiles(ordinal, for: .repetition)
  }

  private func repeatPolicy(_ ordinal: Int) -> RepeatPolicy<OperationResult>? {
    guard let repetition = state.instances[ordinal].node.definition.repetition else { return nil }
    let until: RepeatPolicy<OperationResult>.Until? = repetition.until.map { condition in
      { @Sendable [unowned self] result, _ in
        try assumeIsolated { engine in
          // `until` sees the latest result under the operation's own name.
          engine.state.instances[ordinal].result = result
          defer { engine.dropReadings(ordinal) }
          return try engine.holds(condition, for: ordinal)
        }
      }
    }
    var policy = RepeatPolicy(every: repetition.every, limit: repetition.limit, until: until)
    policy.runsBefore = state.former[ordinal]?.rounds ?? 0
    return policy
  }
}

extension OperationFailure {
  /// Any error that ends an attempt, as it is recorded.
  init(_ error: any Error) {
    switch error {
    case let failure as OperationFailure: self = failure
    case let error as OperationTimeoutError:
      self.init(
        code: "timeout", ownWords: "did not end within its timeout of \(DurationNotation.format(error.duration))")
    case let error as RetryDeadlineError:
      self.init(
        code: error.code,
        ownWords: "no attempt succeeded within the deadline of \(DurationNotation.format(error.deadline))")
    case let error as ExpressionError:
      // An expression that needs a result which cannot be read is not itself wrong.
      self.init(code: error.code.hasPrefix("result-") ? error.code : "expression", message: error.message)
    case let error as EngineError:
      self.init(code: error.code, message: error.description)
      engineError = error.isExhaustion ? error : nil
    case let error as RepeatLimitReachedError: self.init(code: error.code, ownWords: error.description)
    case let error as WorkspaceError:
      self.init(code: "history", message: "\(error)")
      engineError = .history("\(error)")
    case is CancellationError: self.init(code: "cancelled", ownWords: "cancelled")
    default: self.init(code: "failed", message: "\(error)")
    }
  }
}

extension JSONValue {
  /// The value as a process gets it in an environment variable, an argument or standard input: text as it is, nothing
  /// for null, the rest as JSON.
  var injectedText: String {
    switch self {
    case .string(let text): text
    case .null: ""
    default: text
    }
  }
}
