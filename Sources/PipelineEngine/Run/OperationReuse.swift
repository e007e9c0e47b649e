import Operations
import PipelineLanguage
import RunHistory

/// Taking a former success of an operation over instead of running it again.
struct OperationReuse {
  let run: Run
  let ordinal: Int

  /// Takes over a success of the same fingerprint that is not stale. True when there was one.
  nonisolated(nonsending) func perform() async throws -> Bool {
    let definition = run.state.instances[ordinal].node.definition
    try await run.readFiles(ordinal)
    defer { run.dropReadings(ordinal) }
    let fingerprint = try OperationFingerprint(run: run, ordinal: ordinal).digest()
    run.dropReadings(ordinal)
    run.state.instances[ordinal].fingerprint = fingerprint
    guard !run.options.isForced else { return false }
    guard let known = try reusable(fingerprint) else { return false }
    if case .file(let path, let size) = known.result, !run.services.history.isIntact(path, size: size) {
      run.observer.emit(
        .notice(
          run.state.id,
          "'\(run.state.instances[ordinal].name)' runs again: its result in '\(path)' is gone, or is not as long as recorded"
        ))
      return false
    }
    guard run.hasArtifacts(of: known) else { return false }
    if let formula = definition.staleWhen {
      try await run.conditions.settle(formula)
      let condition = try run.conditions.make(
        formula, since: .success(PastSuccess(startedAt: known.startedAt, endedAt: known.endedAt)))
      guard !condition.isSatisfied(in: run.services.context) else { return false }
    }
    run.recorder.conclude(
      ordinal,
      .reused(run.settled(known, for: ordinal), from: known.reusedFrom ?? known.run, .fresh(from: known.run)))
    return true
  }

  /// The latest success of that fingerprint whose age is known and within `stale_after`.
  private func reusable(_ fingerprint: String) throws -> OperationRecord? {
    let (now, name) = (run.services.now(), run.state.instances[ordinal].name)
    let oldest = run.state.instances[ordinal].node.definition.staleAfter.map { now.advanced(by: -$0.wholeMicroseconds) }
    func latest(notAfter: RecordTime?) throws -> OperationRecord? {
      try run.services.history.reusable(
        pipeline: run.state.pipeline.name, operation: name, fingerprint: fingerprint,
        notBefore: oldest ?? RecordTime(microseconds: 0), notAfter: notAfter)
    }
    guard let known = try latest(notAfter: nil) else { return nil }
    guard let end = known.endedAt, end > now else { return known }
    // How old that one is, and what has changed since, cannot be known.
    if let earlier = try latest(notAfter: now) { return earlier }
    run.observer.emit(
      .notice(
        run.state.id,
        "'\(name)' runs again: its latest result is from \(end.text), which is in the future; the clock was set back"))
    return nil
  }
}
