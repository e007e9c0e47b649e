import PipelineLanguage
import RunHistory
import Values

/// Finds the nested run with which an attempt continues: one that a former host began for the operation, or one of an earlier run.
struct NestedRuns {
  let run: Run

  /// Returns the nested run that a former host had begun for an attempt whose end it did not record: one that has ended, or one that can be resumed,
  /// which this host then owns.
  nonisolated(nonsending) func former(of ordinal: Int) async throws -> RecordedRun? {
    guard run.state.hostAttempt > 1 else { return nil }
    let (history, id, name) = (run.services.history, run.id, run.state.instances[ordinal].name)
    guard let nested = try await BlockingWork.run({ try history.nestedRun(of: id, operation: name) }),
      isOfOpenAttempt(nested, ordinal)
    else { return nil }
    if nested.state == .succeeded || nested.state == .failed {
      return try await BlockingWork.run { try history.loadForExecution(nested.id) }
    }
    guard nested.state == .interrupted, try await run.services.recorder.claim(nested.id) != nil else { return nil }
    try await run.endFormerProcesses(of: nested.id, host: nested.owner)
    // Loaded only now: another host may have had it until it was claimed.
    var recorded = try await BlockingWork.run { try history.loadForExecution(nested.id) }
    recorded?.run.state = .interrupted
    return recorded
  }

  /// Whether a nested run belongs to an attempt whose end is not recorded. Attempts that did end had nested runs of their own.
  private func isOfOpenAttempt(_ nested: RunRecord, _ ordinal: Int) -> Bool {
    if let number = nested.parent?.attempt { return number > run.state.former[ordinal]?.endedAttempts ?? 0 }
    // In records of earlier versions, only the time indicates it.
    guard let end = run.state.former[ordinal]?.latestEnd else { return true }
    return nested.createdAt > end
  }

  /// Returns the nested run of an operation that this run retries, if its definition is the same and it ended without success, or before its host
  /// could record that.
  nonisolated(nonsending) func toRetry(_ ordinal: Int, definition: PipelineDefinition) async throws -> RecordedRun? {
    let name = run.state.instances[ordinal].name
    guard run.state.instances[ordinal].parent == nil, run.recorder.run.origin.partial.contains(name),
      run.recordedItems.conditional[ordinal] == nil
    else { return nil }
    let (history, record, hash) = (run.services.history, run.recorder.run, definition.source.hash)
    return try await BlockingWork.run {
      try history.nestedRunToRetry(of: record, operation: name, definitionHash: hash)
    }
  }
}

extension History {
  /// Returns the nested run that an operation of `run` ran, or that `run` would reuse from its own source, if it has that definition and is to be run again.
  fileprivate func nestedRunToRetry(
    of run: RunRecord, operation name: String, definitionHash: String
  ) throws -> RecordedRun? {
    var run = run
    while run.origin.partial.contains(name), let source = run.origin.source {
      if let nested = try nestedRun(of: source, operation: name) {
        guard nested.definitionHash == definitionHash, try nested.state != .succeeded || wasCutOff(nested)
        else { return nil }
        return try loadForExecution(nested.id)
      }
      // A run that ended before it reached the operation refers to that of its source.
      guard let next = try self.run(source) else { throw SourceMissing(run: run.id, source: source) }
      run = next
    }
    return nil
  }

  /// Whether the host of an attempt ended after the attempt's nested run, but before the attempt.
  private func wasCutOff(_ nested: RunRecord) throws -> Bool {
    guard let parent = nested.parent, let number = parent.attempt,
      let operation = try operations(of: parent.run).first(where: { $0.name == parent.operation })
    else { return false }
    let attempts = try attempts(of: parent.run, ordinal: operation.ordinal)
    guard let attempt = attempts.first(where: { $0.number == number }) else { return true }
    return attempt.error?.isEndOfHost == true
  }
}
