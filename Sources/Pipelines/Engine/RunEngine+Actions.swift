import OrderedCollections
import Values

/// What each kind of action does.
extension RunEngine {
  /// Performs the action of an operation once.
  func perform(_ ordinal: Int) async throws -> OperationResult {
    let node = state.instances[ordinal].node
    switch node.definition.action {
    case .run, .command:
      return try await performProcess(ordinal)
    case .uses(let use):
      return try await performPlugin(ordinal, use)
    case .http(let action):
      return try await performHTTP(ordinal, action)
    case .value(let data):
      return .value(try checkedValue(data.evaluate(in: contexts(ordinal)), ordinal))
    case .wait(let wait):
      try await performWait(ordinal, wait)
      return .none
    case .approve(let message):
      return try await performApproval(ordinal, message)
    case .pipeline(let path, let parameters):
      return try await performPipeline(ordinal, path, parameters)
    }
  }

  private func performWait(_ ordinal: Int, _ wait: OperationDefinition.Wait) async throws {
    switch wait {
    case .duration(let template):
      let text = try template.evaluate(in: contexts(ordinal)).injectedText
      guard let duration = DurationNotation.parse(text) else {
        let reason =
          DurationNotation.isTooLong(text)
          ? "is longer than \(DurationNotation.longest), the longest" : "is not a duration such as 30s"
        throw OperationFailure(code: "value-mismatch", message: "wait: '\(text.escapedForMessage)' \(reason)")
      }
      try await self.wait(for: duration, ordinal)
    case .specification(let formula):
      let condition = try conditions.make(formula)
      _ = try await self.wait(for: condition, formula, ordinal, atMost: nil) { .specification($0) }
    case .until(let template):
      let text = try template.evaluate(in: contexts(ordinal)).injectedText
      guard let instant = TimestampNotation.parse(text) else {
        throw OperationFailure(
          code: "value-mismatch",
          message: "wait: '\(text.escapedForMessage)' is not an instant such as 2026-01-31T08:00:00Z")
      }
      try await self.wait(until: RecordTime(secondsSince1970: instant), ordinal)
    }
  }

  /// Waits for a time. A wait that a former host began continues from where it was.
  private func wait(for duration: Duration, _ ordinal: Int) async throws {
    let former = formerWait(of: ordinal, for: .time)
    guard duration > .zero else { return }
    let now = services.moment()
    let left = former?.left(of: duration, at: now) ?? duration
    let due = now.time.advanced(by: left.wholeMicroseconds)
    enter(
      ordinal, .waiting, .time(OperationReason.Time(due: due, clock: RecordedWait.clock(now, left: left))),
      recordNow: true)
    guard left > .zero else { return }
    try await services.context.operationDelayer.delay(for: left)
  }

  /// Waits until the wall clock shows an instant, also where it is set back meanwhile.
  private func wait(until due: RecordTime, _ ordinal: Int) async throws {
    func left() -> Duration { .microseconds(due.microseconds - services.now().microseconds) }
    guard left() > .zero else { return }
    enter(ordinal, .waiting, .time(OperationReason.Time(due: due)), recordNow: true)
    while true {
      let left = left()
      guard left > .zero else { return }
      try await services.context.operationDelayer.delay(for: left)
    }
  }

  private func performApproval(_ ordinal: Int, _ message: Template?) async throws -> OperationResult {
    // Nobody is asked again what was answered after the former host had ended.
    if state.hostAttempt > 1, let answer = try answer(of: ordinal) { return try result(of: answer) }
    let text = try message?.evaluate(in: contexts(ordinal)).injectedText ?? "approve '\(state.instances[ordinal].name)'"
    let asked = state.masker.mask(text)
    let approval = Approval(
      run: state.id, ordinal: ordinal, operation: state.instances[ordinal].name, message: asked,
      requestedAt: services.now())
    let question = OperationReason.Question(
      message: asked, command: "penstock approve \(state.id.text) \(approval.operation)", clock: askedClock(ordinal))
    enter(ordinal, .waiting, .approval(question), recordNow: true)
    services.recorder.record(.approvalRequested(approval))
    emit(.approval(approval))
    try await services.recorder.flushToDisk()
    startWatching()
    while true {
      // Listening begins before asking, so that an answer between the two is not missed.
      let waiter = LoopWaiter(loop: services.loop)
      approvals[ordinal] = waiter
      defer { approvals[ordinal] = nil }
      if let answer = try answer(of: ordinal) { return try result(of: answer) }
      guard await waiter.wait() else { throw CancellationError() }
    }
  }

  /// The wait that a former host began, if it is of the kind that begins now; once.
  func formerWait(of ordinal: Int, for kind: RecordedWait.Kind) -> RecordedWait? {
    guard let former = state.instances[ordinal].timing.formerWait, former.kind == kind else { return nil }
    state.instances[ordinal].timing.formerWait = former.withoutEnd
    return former
  }

  /// Since when an answer is waited for, where there is a time for that, for a later host.
  private func askedClock(_ ordinal: Int) -> OperationReason.Clock? {
    guard state.instances[ordinal].node.definition.timeout != nil else { return nil }
    let now = services.moment()
    let passed = state.instances[ordinal].timing.formerWait?.passedSinceBoot(at: now)
    return RecordedWait.clock(now, left: nil, passed: passed ?? .zero)
  }

  /// What a person has answered to the question of an operation; nil as long as nobody has.
  private func answer(of ordinal: Int) throws -> Approval.Answer? {
    try services.history.approvals(of: state.id).first { $0.ordinal == ordinal }?.answer
  }

  private func result(of answer: Approval.Answer) throws(OperationFailure) -> OperationResult {
    var members: OrderedDictionary<String, JSONValue> = ["approved": .bool(answer.isApproved)]
    if let note = answer.note { members["note"] = .string(note) }
    members["by"] = .string(answer.who)
    guard answer.isApproved else {
      let note = answer.note.map { ": \($0)" } ?? ""
      throw OperationFailure(code: "rejected", message: "rejected by \(answer.who)\(note)")
    }
    return .value(.object(members))
  }

  private func performPipeline(
    _ ordinal: Int, _ path: String, _ parameters: [(name: String, value: DataTemplate)]
  ) async throws -> OperationResult {
    guard let nested = state.pipeline.nested[path] else {
      throw OperationFailure(code: "nested-missing", message: "the pipeline '\(path)' is not part of this definition")
    }
    var given: [(String, JSONValue)] = []
    for parameter in parameters { given.append((parameter.name, try parameter.value.evaluate(in: contexts(ordinal)))) }
    let former = try await formerNestedRun(of: ordinal)
    let definition = try definition(of: former, current: nested)
    if let former, former.run.state != .interrupted {
      modify(ordinal) { $0.reason = .nestedRun(former.run.id) }
      return try takeOver(former, of: definition)
    }
    let retried = former == nil ? try nestedRunToRetry(ordinal, definition: definition) : nil
    var options = RunOptions()
    options.trigger = .nested
    options.version = self.options.version
    options.parameters = try ParameterResolver.resolve(definition, values: given)
    options.source = retried?.run.id ?? former?.run.origin.source
    let child = RunEngine(
      services: services, pipeline: definition, options: options, id: former?.run.id ?? .generate(),
      parent: RunRecord.Parent(
        run: state.id, operation: state.instances[ordinal].name, attempt: state.instances[ordinal].attempts),
      inheritedSecrets: knownSecrets, formerSecrets: formerSecrets,
      hiddenVariables: hiddenVariables,
      heldNames: try namesHeld(by: ordinal), events: events, onEvent: onEvent)
    children[ordinal] = child
    defer { children[ordinal] = nil }
    modify(ordinal) { $0.reason = .nestedRun(child.id) }
    let source = try former.flatMap { try recordedSource(of: $0.run) } ?? retried
    let task = Task(executorPreference: services.loop) { try await child.run(resuming: former, takingOver: source) }
    let loop = services.loop
    // The nested run ends by itself when it is cancelled, because its handlers still run.
    let outcome = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      loop.execute { child.assumeIsolated { $0.cancel(.requested) } }
    }
    switch outcome.run.state {
    case .succeeded:
      var members: OrderedDictionary<String, JSONValue> = [:]
      for operation in definition.operations { members[operation.name] = outcome.results[operation.name] }
      return .value(.object(members))
    case .cancelled where Task.isCancelled:
      throw CancellationError()
    default:
      throw Self.nestedFailure(outcome.run, because: await child.firstFailure())
    }
  }

  /// The definition that a nested run goes on with: its own, where the file has changed since it began.
  private func definition(of former: RecordedRun?, current: PipelineDefinition) throws -> PipelineDefinition {
    guard let former, former.run.definitionHash != current.source.hash else { return current }
    let loaded = PipelineLoader.load(
      text: former.definition, path: former.run.path ?? current.source.path, nested: former.nestedDefinitions,
      plugins: services.plugins)
    guard let pipeline = loaded.pipeline else {
      throw OperationFailure(
        code: "nested-invalid",
        message:
          "the definition that run \(former.run.id.text) began with cannot be read again: \(loaded.diagnostics.first?.message ?? "")"
      )
    }
    return pipeline
  }

  /// What a nested run came to that had ended before its host could record the end of the operation.
  private func takeOver(_ former: RecordedRun, of nested: PipelineDefinition) throws -> OperationResult {
    guard former.run.state == .succeeded else {
      let failed = former.operations.first { $0.state == .failed && $0.parent == nil }
      throw Self.nestedFailure(
        former.run, because: failed.map { "'\($0.name)' \($0.error?.message ?? "failed")" } ?? former.run.reason)
    }
    var members: OrderedDictionary<String, JSONValue> = [:]
    let types = Dictionary(nested.operations.map { ($0.name, $0.result) }) { first, _ in first }
    for operation in former.operations {
      guard operation.parent == nil, let type = types[operation.name] else { continue }
      if case .value(let value) = result(operation.result, type: type) { members[operation.name] = value }
    }
    return .value(.object(members))
  }

  private static func nestedFailure(_ run: RunRecord, because reason: String?) -> OperationFailure {
    // A run that was cancelled may have no other reason than that.
    let why = reason == run.state.rawValue ? nil : reason
    return OperationFailure(
      code: "nested-\(run.state.rawValue)",
      message: "run \(run.id.text) of '\(run.pipeline)' \(run.state.rawValue)\(why.map { ": \($0)" } ?? "")")
  }

  /// What failed first, for the message of the run that contains this one.
  func firstFailure() -> String? {
    guard let instance = state.instances.first(where: { $0.state == .failed && $0.parent == nil }) else {
      return record.reason
    }
    return "'\(instance.name)' \(instance.failure?.message ?? "failed")"
  }

  /// Another process left something in the workspace.
  func notified() {
    for waiter in approvals.values { waiter.wake() }
    guard let requests = try? services.history.takeRequests(state.id, fence: record.fence) else { return }
    for request in requests {
      switch request {
      case .cancel: cancel(.requested)
      case .kill: kill()
      }
    }
  }
}
