import Operations
import PipelineLanguage
import RunHistory

/// Reuses an earlier success of an operation instead of running it again.
struct OperationReuse {
  let run: Run
  let ordinal: Int

  /// Reuses a success with the same fingerprint that is not stale. Returns true if there was one.
  nonisolated(nonsending) func perform() async throws -> Bool {
    let definition = run.state.instances[ordinal].node.definition
    try await run.readFiles(ordinal)
    defer { run.dropReadings(ordinal) }
    let fingerprint = try await OperationFingerprint(run: run, ordinal: ordinal).digest()
    run.dropReadings(ordinal)
    run.state.instances[ordinal].fingerprint = fingerprint
    guard !run.options.isForced else { return false }
    guard let found = try await find(fingerprint) else { return false }
    let (known, results): (OperationRecord, ParsedResults)
    switch found {
    case .whole(let record, let parsed): (known, results) = (record, parsed)
    case .unusable(let why):
      run.observer.emit(.notice(run.state.id, "'\(run.state.instances[ordinal].name)' runs again: \(why)"))
      return false
    }
    if let formula = definition.staleWhen {
      try await run.conditions.settle(formula)
      let condition = try run.conditions.make(
        formula, since: .success(PastSuccess(startedAt: known.startedAt, endedAt: known.endedAt)))
      guard !condition.isSatisfied(in: run.services.context) else { return false }
    }
    run.recorder.conclude(
      ordinal,
      .reused(
        run.settled(known, for: ordinal, parsed: results), from: known.reusedFrom ?? known.run,
        .fresh(from: known.run)))
    return true
  }

  /// An earlier success.
  private enum Found: Sendable {
    /// Its result and artifacts are available.
    case whole(OperationRecord, ParsedResults)
    /// It cannot be reused, for this reason.
    case unusable(String)
  }

  /// Finds the latest success with that fingerprint whose age is known and within `stale_after`. Queries the history off the event loop.
  private nonisolated(nonsending) func find(_ fingerprint: String) async throws -> Found? {
    let (now, name, pipeline) = (run.services.now(), run.state.instances[ordinal].name, run.state.pipeline.name)
    let oldest = run.state.instances[ordinal].node.definition.staleAfter.map { now.advanced(by: -$0.wholeMicroseconds) }
    let (history, workspace) = (run.services.history, run.state.given.workspace)
    return try await BlockingWork.run {
      func latest(notAfter: RecordTime?) throws -> OperationRecord? {
        try history.reusable(
          pipeline: pipeline, operation: name, fingerprint: fingerprint,
          notBefore: oldest ?? RecordTime(microseconds: 0), notAfter: notAfter)
      }
      guard var known = try latest(notAfter: nil) else { return nil }
      if let end = known.endedAt, end > now {
        // The age of that success, and what has changed since, cannot be determined.
        guard let earlier = try latest(notAfter: now) else {
          return .unusable("its latest result is from \(end.text), which is in the future: the clock was set back")
        }
        known = earlier
      }
      if case .file(let path, let size) = known.result, !history.isIntact(path, size: size) {
        return .unusable("its result in '\(path)' is missing or does not have its recorded size")
      }
      guard known.hasArtifacts(in: workspace) else { return .unusable(OperationRecord.artifactsGone) }
      return .whole(known, ParsedResults(of: [known]))
    }
  }
}
