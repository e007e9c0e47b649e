import Operations
import Values
import Workspace

/// Going on with a run whose host is gone, and taking over what an earlier run has done.
extension RunEngine {
  /// Puts the recorded states back. What has a durable end keeps it; everything else starts over, with its attempts numbered on.
  func restore(_ recorded: RecordedRun) {
    record = recorded.run
    record.state = .running
    record.endedAt = nil
    record.reason = nil
    state.hostAttempt += 1
    state.event = JSONValue(recorded: recorded.run.event)
    var former: [Int: FormerAttempts] = [:]
    for attempt in recorded.attempts {
      former[attempt.ordinal, default: FormerAttempts()].add(attempt)
      logs.keepResult(attempt.result)
    }
    let fixed = state.instances.count
    let highest = recorded.operations.map(\.ordinal).max() ?? -1
    let byOrdinal = Dictionary(recorded.operations.map { ($0.ordinal, $0) }) { $1 }
    // Items keep their ordinals; what was never recorded of a loop leaves a gap that belongs to nobody.
    if highest >= fixed {
      for ordinal in fixed...highest {
        guard let record = byOrdinal[ordinal], let parent = record.parent, parent < fixed, let index = record.itemIndex
        else {
          state.instances.append(OperationInstance(node: state.instances[0].node, name: "", parent: -1))
          continue
        }
        let item = record.item.flatMap { try? JSONValue.parse($0) } ?? .null
        formerItems[ItemKey(parent: parent, index: index)] = state.addItem(of: parent, index: index, value: item)
      }
    }
    for operation in recorded.operations {
      logs.keepResult(operation.result)
      guard operation.ordinal < state.instances.count else { continue }
      restore(operation, after: former[operation.ordinal] ?? FormerAttempts())
    }
    for attempt in recorded.attempts where attempt.ordinal < state.instances.count && attempt.error?.code != "host-died"
    {
      guard let end = attempt.endedAt, end > state.instances[attempt.ordinal].latestEnd ?? end.advanced(by: -1) else {
        continue
      }
      state.instances[attempt.ordinal].latestEnd = end
    }
    for ordinal in state.pipeline.operations.indices where state.instances[ordinal].state.isFinal { count(ordinal) }
    emit(.run(record))
  }

  /// Counts an operation that has ended before this host began.
  private func count(_ ordinal: Int) {
    state.unfinished -= 1
    for dependent in state.plan.dependents(of: ordinal) { state.remaining[Int(dependent)] -= 1 }
    state.noteEnd(of: ordinal)
    if state.instances[ordinal].state == .failed, !state.instances[ordinal].node.definition.allowFailure {
      state.status.hasFailure = true
    }
  }

  private func restore(_ operation: OperationRecord, after former: FormerAttempts) {
    let latest = former.latest
    modify(operation.ordinal) { instance in
      instance.attempts = max(operation.attempts, latest?.number ?? 0)
      instance.startedAt = operation.startedAt
      let wasCancelled =
        operation.state == .cancelled && (operation.reason == "run-cancelled" || operation.reason == "run-timeout")
      guard operation.state.isFinal, !wasCancelled else {
        instance.waitDue = operation.dueTime
        instance.waitSince = operation.waitBegan
        instance.roundsBefore = former.rounds
        if case .approve = instance.node.definition.action { instance.askedAt = former.began }
        instance.retryState = former.retryState(
          attempts: instance.attempts, isRepeated: instance.node.definition.repetition != nil, now: services.now())
        return
      }
      instance.state = operation.state
      instance.reason = operation.reason
      instance.detail = operation.detail.flatMap { try? JSONValue.parse($0) }
      instance.failure = operation.error.map {
        OperationFailure(
          code: $0.code, message: $0.message, exitCode: latest?.exitCode.map(Int32.init),
          signal: latest?.signal.map(Int32.init))
      }
      instance.endedAt = operation.endedAt
      instance.fingerprint = operation.fingerprint
      instance.reusedFrom = operation.reusedFrom
      instance.recordedResult = operation.result
      instance.result = result(operation.result, type: instance.node.definition.result)
    }
  }

  /// The result that a record keeps.
  func result(_ recorded: RecordedResult, type: ValueType?) -> OperationResult {
    switch recorded {
    case .none: return .none
    case .inline(let text): return (try? JSONValue.parse(text)).map { .value($0) } ?? .none
    case .file(let path, let size):
      let absolute = path.hasPrefix("/") ? path : "\(state.workspace)/\(path)"
      // Files that the engine wrote itself hold JSON; logs hold what the process printed.
      return .file(ResultFile(path: absolute, size: size, type: path.hasSuffix(".json") ? .json : type))
    }
  }

  /// Takes over from `source` what is not to be executed: everything outside the selection, and on a retry what succeeded there.
  ///
  /// Without a source there is nothing to take over, and only the selection counts.
  func takeOver(from source: RecordedRun?) {
    switch options.selection {
    case .all: selected = []
    case .from(let name): selected = state.position(of: name).map { state.plan.downstream(of: $0) } ?? []
    case .only(let name): selected = state.position(of: name).map { [$0] } ?? []
    }
    let recorded = source?.operations.filter { $0.parent == nil } ?? []
    let known = Dictionary(recorded.map { ($0.name, $0) }) { first, _ in first }
    let outdated = outdated(known)
    for position in state.pipeline.operations.indices where !selected.contains(position) {
      if outdated.contains(position) { continue }
      if let source, let operation = known[state.instances[position].name],
        operation.isDone
      {
        modify(position) { instance in
          instance.reusedFrom = operation.reusedFrom ?? source.run.id
          instance.recordedResult = operation.result
          instance.result = result(operation.result, type: instance.node.definition.result)
        }
        conclude(position, .reused, reason: "taken-over", detail: .object(["from": .string(source.run.id.text)]))
      } else if options.leavesOut {
        conclude(position, .skipped, reason: "not-selected")
      } else {
        if let source, let loop = known[state.instances[position].name] {
          inheritItems(of: loop, in: source, for: position)
        }
        continue
      }
      count(position)
    }
  }

  /// Operations that ran because of what became of others, where a retry executes those again: a clean-up comes after the
  /// second attempt at what it cleans up, too.
  private func outdated(_ known: [String: OperationRecord]) -> Set<Int> {
    guard !options.leavesOut else { return [] }
    var found: Set<Int> = []
    for position in state.pipeline.operations.indices {
      guard let record = known[state.instances[position].name], record.state == .failed || record.state == .cancelled
      else { continue }
      found.formUnion(state.plan.downstream(of: position).subtracting([position]))
    }
    return found.filter { state.instances[$0].node.isAskedAnyway }
  }

  /// Remembers the items of a loop that succeeded in an earlier run, for when the loop finds the same ones again.
  private func inheritItems(of loop: OperationRecord, in source: RecordedRun, for position: Int) {
    for item in source.operations
    where item.parent == loop.ordinal && (item.state == .succeeded || item.state == .reused) {
      guard let index = item.itemIndex else { continue }
      inheritedItems[ItemKey(parent: position, index: index)] = item
    }
  }

  /// The nested run of an operation that this run retries, if it ended without success and its definition is the same.
  func nestedRunToRetry(_ ordinal: Int, definition: PipelineDefinition) throws -> RecordedRun? {
    guard let source = options.source, !selected.contains(ordinal), state.instances[ordinal].parent == nil,
      let nested = try services.history.nestedRun(of: source, operation: state.instances[ordinal].name),
      nested.state != .succeeded, nested.definitionHash == definition.source.hash
    else { return nil }
    return try services.history.loadForResume(nested.id)
  }

  /// The nested run that a former host had begun for an attempt whose end it did not record: one that has ended itself, or one that
  /// can be gone on with and is this host's from now on.
  func formerNestedRun(of ordinal: Int) async throws -> RecordedRun? {
    guard state.hostAttempt > 1,
      let nested = try services.history.nestedRun(of: state.id, operation: state.instances[ordinal].name),
      // Attempts that did end had nested runs of their own.
      nested.createdAt > state.instances[ordinal].latestEnd ?? nested.createdAt.advanced(by: -1),
      let recorded = try services.history.loadForResume(nested.id)
    else { return nil }
    if nested.state == .succeeded || nested.state == .failed { return recorded }
    guard nested.state == .interrupted, try await services.recorder.claim(nested.id) != nil else { return nil }
    _ = await LeftoverProcesses.end(run: nested.id, delayer: LoopDelayer(loop: services.loop))
    return recorded
  }

  /// Ends the processes that the former host of the run left behind.
  func endFormerProcesses(of owner: ProcessIdentity) async {
    if owner.isElsewhere {
      emit(
        .notice(
          state.id,
          "the former host ran in another container (pid namespace): processes that it left there cannot be ended from here"
        ))
    }
    let ended = await LeftoverProcesses.end(run: state.id, delayer: LoopDelayer(loop: services.loop))
    guard ended > 0 else { return }
    let processes = Count.of(ended, "process", plural: "processes")
    emit(.notice(state.id, "ended \(processes) that the former host had left running"))
  }

  // MARK: Reuse

  /// Takes over a success of the same fingerprint that is not stale. True when there was one.
  func reuse(_ ordinal: Int) async throws -> Bool {
    let definition = state.instances[ordinal].node.definition
    let fingerprint = try fingerprint(of: ordinal)
    state.instances[ordinal].fingerprint = fingerprint
    let oldest = definition.staleAfter.map { services.now().microseconds - $0.wholeMicroseconds } ?? 0
    guard
      let known = try services.history.reusable(
        pipeline: state.pipeline.name, operation: state.instances[ordinal].name, fingerprint: fingerprint,
        notBefore: RecordTime(microseconds: oldest))
    else { return false }
    if let formula = definition.staleWhen {
      try await conditions.settle(formula)
      let condition = try conditions.make(
        formula, since: .success(PastSuccess(startedAt: known.startedAt, endedAt: known.endedAt)))
      guard !condition.isSatisfied(in: services.context) else { return false }
    }
    modify(ordinal) { instance in
      instance.reusedFrom = known.reusedFrom ?? known.run
      instance.recordedResult = known.result
      instance.result = result(known.result, type: instance.node.definition.result)
    }
    conclude(ordinal, .reused, reason: "fresh", detail: .object(["from": .string(known.run.text)]))
    return true
  }
}

extension OperationRecord {
  /// The place of an item in its loop: the number in `archive[3]`.
  fileprivate var itemIndex: Int? {
    guard name.hasSuffix("]"), let open = name.lastIndex(of: "[") else { return nil }
    return Int(name[name.index(after: open)...].dropLast())
  }

  /// When a recorded wait is over.
  fileprivate var dueTime: RecordTime? {
    guard let text = detail.flatMap({ try? JSONValue.parse($0) })?["due"]?.stringValue,
      let seconds = TimestampNotation.parse(text)
    else {
      return nil
    }
    return RecordTime(secondsSince1970: seconds)
  }
}
