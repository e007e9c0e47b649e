import Expressions
import Operations
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// Going on with a run whose host is gone.
extension RunEngine {
  /// Puts the recorded states back. What has a durable end keeps it; everything else starts over, with its attempts numbered on.
  func restore(_ recorded: RecordedRun) {
    recorder.run = recorded.run
    // The one who claimed it may have recorded that already.
    if recorder.run.state != .running { recorder.enter(.running) }
    recorder.run.endedAt = nil
    recorder.run.reason = nil
    state.hostAttempt += 1
    state.given.event = JSONValue(recorded: recorded.run.event)
    state.given.instant = recorded.run.instant
    jobs.former = FormerJob.left(by: recorded.attempts, at: services.executor.name)
    var former: [Int: FormerAttempts] = [:]
    for attempt in recorded.attempts {
      logs.keepResult(attempt.result)
      guard jobs.former[attempt.ordinal]?.handle.job.attempt != attempt.number else { continue }
      former[attempt.ordinal, default: FormerAttempts()].add(attempt)
    }
    let fixed = state.instances.count
    let highest = recorded.operations.map(\.ordinal).max() ?? -1
    let byOrdinal = Dictionary(recorded.operations.map { ($0.ordinal, $0) }) { $1 }
    // Items keep their ordinals; what was never recorded of a loop leaves a gap that belongs to nobody.
    if highest >= fixed {
      for ordinal in fixed...highest {
        guard let record = byOrdinal[ordinal], let parent = record.parent, parent < fixed, let index = record.itemIndex
        else {
          let nobody = OperationInstance.LoopItem(parent: -1, index: 0, value: .null)
          state.instances.append(OperationInstance(node: state.instances[0].node, name: "", loopItem: nobody))
          continue
        }
        let item = record.item.flatMap { try? JSONValue.parse($0) } ?? .null
        recordedItems.begun[ItemKey(parent: parent, index: index)] = state.addItem(
          of: parent, index: index, value: item, label: record.recordedLabel)
      }
    }
    for operation in recorded.operations {
      logs.keepResult(operation.result)
      guard operation.ordinal < state.instances.count else { continue }
      restore(operation, after: former[operation.ordinal] ?? FormerAttempts())
    }
    for attempt in recorded.attempts
    where attempt.ordinal < state.instances.count && attempt.error?.code != RecordedError.hostDied.code {
      state.former[attempt.ordinal, default: FormerProgress()].note(attempt)
    }
    for ordinal in state.pipeline.operations.indices where state.instances[ordinal].state.isFinal { count(ordinal) }
    observer.emit(.run(recorder.run))
  }

  /// Counts an operation that has ended before this host began.
  func count(_ ordinal: Int) {
    state.unfinished -= 1
    for dependent in state.plan.dependents(of: ordinal) { state.remaining[Int(dependent)] -= 1 }
    state.noteEnd(of: ordinal)
    if state.instances[ordinal].state == .failed, !state.instances[ordinal].node.definition.allowFailure {
      state.noteFailure()
    }
  }

  private func restore(_ operation: OperationRecord, after former: FormerAttempts) {
    let latest = former.latest
    let reason = operation.operationReason
    state.modify(operation.ordinal) { instance in
      // The attempt of a job that may go on begins with the same number.
      instance.attempts =
        jobs.former[operation.ordinal].map { $0.handle.job.attempt - 1 }
        ?? max(operation.attempts, latest?.number ?? 0)
      instance.timing.startedAt = operation.startedAt
      let wasCancelled =
        operation.state == .cancelled && (reason == .runCancelled || reason == .runTimeout)
      guard operation.state.isFinal, !wasCancelled else {
        var progress = FormerProgress()
        progress.wait = RecordedWait(reason)
        progress.waitBegan = reason?.specification?.since
        progress.rounds = former.rounds
        if instance.node.action.goesOnAcrossHosts { progress.asked = former.began }
        progress.retryState = former.retryState(
          attempts: instance.attempts, isRepeated: instance.node.definition.repetition != nil, wait: progress.wait,
          now: services.moment())
        state.former[operation.ordinal] = progress
        if instance.node.definition.repetition != nil, former.rounds > 0 {
          // Earlier versions kept it with the operation alone until the next round began.
          let latest = former.latestResult == .none ? operation.result : former.latestResult
          let previous = result(latest, type: instance.node.definition.result)
          state.previous[operation.ordinal] = previous
          if case .file = previous { state.files.areNeeded = true }
        }
        return
      }
      instance.state = operation.state
      instance.reason = reason
      instance.opened = operation.openedGate
      instance.failure = operation.error.map {
        OperationFailure(
          code: $0.code, message: $0.message, exitCode: latest?.exitCode.map { Int32(clamping: $0) },
          signal: latest?.signal.map { Int32(clamping: $0) })
      }
      instance.timing.endedAt = operation.endedAt
      instance.reuse.fingerprint = operation.fingerprint
      instance.reuse.source = operation.reusedFrom
      instance.recordedResult = operation.result
      instance.result = result(operation.result, type: instance.node.definition.result)
    }
    if case .file = state.instances[operation.ordinal].result { state.files.areNeeded = true }
  }

  /// The result that a record keeps.
  func result(_ recorded: RecordedResult, type: ValueType?) -> OperationResult {
    switch recorded {
    case .none: return .none
    case .inline(let text): return (try? JSONValue.parse(text)).map { .value($0) } ?? .none
    case .file(let path, let size):
      let absolute = "\(state.workspace)/\(path)"
      // Files that the engine wrote itself hold JSON; logs hold what the process printed.
      return .file(
        ResultFile(path: absolute, size: size, type: path.hasSuffix(".json") ? .json : type, isRecorded: true))
    }
  }

  /// The nested run that a former host had begun for an attempt whose end it did not record: one that has ended itself, or one that
  /// can be gone on with and is this host's from now on.
  func formerNestedRun(of ordinal: Int) async throws -> RecordedRun? {
    guard state.hostAttempt > 1,
      let nested = try services.history.nestedRun(of: state.id, operation: state.instances[ordinal].name),
      isOfOpenAttempt(nested, ordinal)
    else { return nil }
    let history = services.history
    if nested.state == .succeeded || nested.state == .failed {
      return try await BlockingWork.run { try history.loadForExecution(nested.id) }
    }
    guard nested.state == .interrupted, try await services.recorder.claim(nested.id) != nil else { return nil }
    try await endFormerProcesses(of: nested.id, host: nested.owner)
    // Only now: somebody else may have had it until it was claimed.
    var recorded = try await BlockingWork.run { try history.loadForExecution(nested.id) }
    recorded?.run.state = .interrupted
    return recorded
  }

  /// Whether a nested run is of an attempt whose end is not recorded: attempts that did end had nested runs of their own.
  private func isOfOpenAttempt(_ nested: RunRecord, _ ordinal: Int) -> Bool {
    if let number = nested.parent?.attempt { return number > state.former[ordinal]?.endedAttempts ?? 0 }
    // In records of earlier versions, only the clock tells.
    guard let end = state.former[ordinal]?.latestEnd else { return true }
    return nested.createdAt > end
  }

  /// Ends the processes that the former host of the run left behind, those of interrupted nested runs included.
  ///
  /// - Throws: ``EngineError/processesRemain(_:of:)`` or ``EngineError/processesUnknown(of:)``. The run is interrupted again then.
  func endFormerProcesses(host: ProcessIdentity) async throws {
    try await endFormerProcesses(of: state.id, host: host)
  }

  /// Ends the processes that the former host of this run or a nested one left behind. This host has claimed the run.
  private func endFormerProcesses(of run: RunID, host: ProcessIdentity) async throws {
    let processes = FormerProcesses(history: services.history, delayer: LoopDelayer(loop: services.loop))
    let outcome = await processes.end(of: run, host: host) { true }
    for notice in outcome.notices(of: host) { observer.emit(.notice(state.id, notice)) }
    guard let error = outcome.error(of: run) else { return }
    try await services.recorder.giveUp(run)
    throw error
  }

  // MARK: Reuse

  /// Takes over a success of the same fingerprint that is not stale. True when there was one.
  func reuse(_ ordinal: Int) async throws -> Bool {
    let definition = state.instances[ordinal].node.definition
    try await readFiles(ordinal)
    defer { dropReadings(ordinal) }
    let fingerprint = try fingerprint(of: ordinal)
    dropReadings(ordinal)
    state.instances[ordinal].reuse.fingerprint = fingerprint
    guard !options.isForced else { return false }
    guard let known = try reusable(ordinal, fingerprint: fingerprint) else { return false }
    if case .file(let path, let size) = known.result, !services.history.isIntact(path, size: size) {
      observer.emit(
        .notice(
          state.id,
          "'\(state.instances[ordinal].name)' runs again: its result in '\(path)' is gone, or is not as long as recorded"
        ))
      return false
    }
    if let formula = definition.staleWhen {
      try await conditions.settle(formula)
      let condition = try conditions.make(
        formula, since: .success(PastSuccess(startedAt: known.startedAt, endedAt: known.endedAt)))
      guard !condition.isSatisfied(in: services.context) else { return false }
    }
    state.modify(ordinal) { instance in
      instance.reuse.source = known.reusedFrom ?? known.run
      instance.recordedResult = known.result
      instance.result = result(known.result, type: instance.node.definition.result)
    }
    recorder.conclude(ordinal, .reused, .fresh(from: known.run))
    return true
  }

  /// The latest success of that fingerprint whose age is known and within `stale_after`.
  private func reusable(_ ordinal: Int, fingerprint: String) throws -> OperationRecord? {
    let (now, name) = (services.now(), state.instances[ordinal].name)
    let oldest = state.instances[ordinal].node.definition.staleAfter.map { now.advanced(by: -$0.wholeMicroseconds) }
    func latest(notAfter: RecordTime?) throws -> OperationRecord? {
      try services.history.reusable(
        pipeline: state.pipeline.name, operation: name, fingerprint: fingerprint,
        notBefore: oldest ?? RecordTime(microseconds: 0), notAfter: notAfter)
    }
    guard let known = try latest(notAfter: nil) else { return nil }
    guard let end = known.endedAt, end > now else { return known }
    // How old that one is, and what has changed since, cannot be known.
    if let earlier = try latest(notAfter: now) { return earlier }
    observer.emit(
      .notice(
        state.id,
        "'\(name)' runs again: its latest result is from \(end.text), which is in the future; the clock was set back"))
    return nil
  }
}

extension OperationRecord {
  /// The place of an item in its loop: the number in `archive[3]`.
  var itemIndex: Int? {
    guard name.hasSuffix("]"), let open = name.lastIndex(of: "[") else { return nil }
    return Int(name[name.index(after: open)...].dropLast())
  }
}
