import PipelineLanguage
import RunHistory
import Values

/// Resumes a run whose host no longer exists.
struct RunRestoration {
  let run: Run

  /// Restores the recorded states. Operations whose end is durable keep it; all others start over, and their attempts continue the numbering.
  func restore(_ recorded: RecordedRun) {
    run.recorder.run = recorded.run
    // The host that claimed the run may have recorded that already.
    if run.recorder.run.state != .running { run.recorder.enter(.running) }
    run.recorder.run.endedAt = nil
    run.recorder.run.reason = nil
    run.recorder.run.canceller = nil
    run.state.hostAttempt += 1
    run.state.given.event = JSONValue(recorded: recorded.run.event)
    run.state.given.instant = recorded.run.instant
    run.jobs.former = FormerJob.left(by: recorded.attempts, at: run.services.executors.names)
    let unrecorded = unrecordedAttempts(besides: recorded.attempts)
    var former: [Int: FormerAttempts] = [:]
    for attempt in recorded.attempts + unrecorded {
      run.logs.keepResult(attempt.result)
      guard run.jobs.former[attempt.ordinal]?.handle.job.attempt != attempt.number else { continue }
      former[attempt.ordinal, default: FormerAttempts()].add(attempt)
    }
    let fixed = run.state.instances.count
    let highest = recorded.operations.map(\.ordinal).max() ?? -1
    let byOrdinal = Dictionary(recorded.operations.map { ($0.ordinal, $0) }) { $1 }
    // Items keep their ordinals; an item that was never recorded leaves an unused gap.
    if highest >= fixed {
      for ordinal in fixed...highest {
        guard let record = byOrdinal[ordinal], let parent = record.parent, parent < fixed, let index = record.itemIndex
        else {
          let nobody = OperationInstance.LoopItem(parent: -1, index: 0, value: .null)
          run.state.instances.append(OperationInstance(node: run.state.instances[0].node, name: "", loopItem: nobody))
          continue
        }
        let item = record.item.flatMap { try? JSONValue.parse($0) } ?? .null
        run.recordedItems.begun[ItemKey(parent: parent, index: index)] = run.state.addItem(
          of: parent, index: index, value: item, label: record.recordedLabel)
      }
    }
    for operation in recorded.operations {
      run.logs.keepResult(operation.result)
      guard operation.ordinal < run.state.instances.count else { continue }
      restore(operation, after: former[operation.ordinal] ?? FormerAttempts())
    }
    record(unrecorded)
    for attempt in recorded.attempts
    where attempt.ordinal < run.state.instances.count && attempt.error?.isEndOfHost != true {
      run.state.former[attempt.ordinal, default: FormerProgress()].note(attempt)
    }
    for ordinal in run.state.pipeline.operations.indices where run.state.instances[ordinal].state.isFinal {
      run.state.countEnded(ordinal)
    }
    run.observer.emit(.run(run.recorder.run))
  }

  private func restore(_ operation: OperationRecord, after former: FormerAttempts) {
    let latest = former.latest
    let reason = operation.operationReason
    // Computed first: it reads the instance that is modified below.
    let status = ended(operation, reason, latest: latest)
    run.state.modify(operation.ordinal) { instance in
      // The attempt of a job that may still be running begins with the same number.
      instance.attempts =
        run.jobs.former[operation.ordinal].map { $0.handle.job.attempt - 1 }
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
          now: run.services.moment())
        // The end of the wait is recorded with the attempt.
        if progress.retryState?.remainingDelay != nil { instance.attempt = latest }
        run.state.former[operation.ordinal] = progress
        if instance.node.definition.repetition != nil, former.rounds > 0 {
          // Earlier versions recorded it only with the operation until the next round began.
          let latest = former.latestResult == .none ? operation.result : former.latestResult
          let previous = run.result(latest, type: instance.node.definition.result)
          run.state.previous[operation.ordinal] = previous
          run.state.files.note(previous, of: operation.ordinal)
        }
        return
      }
      instance.restore(status)
      instance.opened = operation.openedGate
      instance.timing.endedAt = operation.endedAt
      instance.fingerprint = operation.fingerprint
    }
    run.state.files.note(run.state.instances[operation.ordinal].result, of: operation.ordinal)
  }

  /// Returns how an operation ended under a former host.
  private func ended(
    _ operation: OperationRecord, _ recorded: OperationReason?, latest: AttemptRecord?
  ) -> InstanceStatus {
    let failure = operation.error.map { OperationFailure($0, of: latest) }
    let reason = recorded ?? .other(code: nil, detail: nil)
    func settled() -> SettledResult { run.settled(operation, for: operation.ordinal) }
    switch operation.state {
    case .succeeded: return .succeeded(settled(), recorded)
    case .reused: return .reused(settled(), from: operation.reusedFrom, reason)
    case .failed:
      let code = reason.code ?? "failed"
      return .failed(
        failure ?? OperationFailure(code: code, ownWords: "failed"), notRetried: reason.notRetried,
        partial: operation.result == .none ? nil : settled())
    case .cancelled: return .cancelled(reason, failure)
    case .skipped: return .skipped(reason)
    case .pending, .waiting, .running, .retrying: return .pending
    }
  }
}
