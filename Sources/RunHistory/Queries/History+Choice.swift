import Workspace

/// The default run of a command without a run id.
extension History {
  /// Returns the latest run that a command without an id refers to. Nested runs are never chosen.
  ///
  /// - Parameters:
  ///   - purpose: What is to be done with it.
  ///   - pipeline: Only runs of this pipeline: a name, or a pattern with `*`, `?` and `[…]`. Default nil, for all.
  /// - Returns: The run, or nil if there is none.
  /// - Throws: `WorkspaceError`.
  public func latestRun(for purpose: RunPurpose, of pipeline: String? = nil) throws(WorkspaceError) -> RunRecord? {
    switch purpose {
    case .resume: return try runs(RunFilter(pipeline: pipeline, states: [.interrupted], limit: 1)).first
    case .retry:
      // A busy pipeline with `overlap: skip` may have many cancelled runs, so these have a separate limit.
      let failed = try runs(RunFilter(pipeline: pipeline, states: [.failed, .interrupted], limit: Self.mostCandidates))
      let cancelled = try runs(RunFilter(pipeline: pipeline, states: [.cancelled], limit: Self.mostCandidates))
        .filter { $0.canceller?.isSignalOfSystem ?? false }
      let candidates = (failed + cancelled).sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
      for candidate in candidates where try !isRepaired(candidate) { return candidate }
      return nil
    }
  }

  /// Returns the latest run that was cancelled and has not been repaired since. Nested runs do not count.
  package func latestCancelledRun(of pipeline: String? = nil) throws(WorkspaceError) -> RunRecord? {
    let cancelled = try runs(RunFilter(pipeline: pipeline, states: [.cancelled], limit: Self.mostCandidates))
    for candidate in cancelled where try !isRepaired(candidate) { return candidate }
    return nil
  }

  /// Returns the run that a retry, or a retry of a retry, ultimately repeats, as far as it is still recorded; the run itself if it is not a retry.
  package func origin(of run: RunRecord) throws(WorkspaceError) -> RunRecord {
    var origin = run
    // A run can only repeat an earlier one, unless the records are forged.
    while origin.trigger == .retry, let source = origin.origin.source, source < origin.id,
      let former = try self.run(source)
    {
      origin = former
    }
    return origin
  }

  /// The maximum number of unsuccessful runs that are checked for having been repaired.
  private static let mostCandidates = 200

  /// Whether the run's work has been done since: by a retry of it, or by an equivalent run.
  private func isRepaired(_ run: RunRecord) throws(WorkspaceError) -> Bool {
    if try isRepairedByRetry(run) { return true }
    return try isRepairedByOther(run)
  }

  /// Whether a retry of the run has succeeded, or a retry of that one, and so on. A retry that left something out does not count.
  private func isRepairedByRetry(_ run: RunRecord) throws(WorkspaceError) -> Bool {
    // A retry begins after what it retries. Of the pipeline's runs, of which there may be a million, only the retries are read.
    let since = run.createdAt.microseconds
    let later = try read { db in
      try db.fetch(for: StoredRun.self).select(
        StoredRun.id, StoredRun.source, StoredRun.state, StoredRun.selection,
        where: StoredRun.pipeline == run.pipeline && StoredRun.createdAt >= since
          && StoredRun.trigger == RunTrigger.retry.rawValue)
    }
    var retries = Dictionary(grouping: later) { $0.1 }
    var open = [run.id.text]
    while let next = open.popLast() {
      for (id, _, state, selection) in retries.removeValue(forKey: next) ?? [] {
        if state == RunState.succeeded.rawValue, !RunOrigin(source: nil, text: selection).selection.isAlone {
          return true
        }
        open.append(id)
      }
    }
    return false
  }

  /// Whether the whole pipeline, from the same file, has succeeded since, with the same params, for the same instant and the same event.
  private func isRepairedByOther(_ run: RunRecord) throws(WorkspaceError) -> Bool {
    // A retry stands for the start of what it repeats, which does not distinguish it from a run without an instant.
    let asked = try origin(of: run)
    let (since, end) = (run.createdAt.microseconds, (run.endedAt ?? run.createdAt).microseconds)
    let isSame = StoredRun.instant == asked.instant?.microseconds && StoredRun.event == asked.event
    let successes = try read { db in
      var found: [RunRecord] = []
      try db.fetch(for: StoredRun.self).walk(
        StoredRun.pipeline == run.pipeline && StoredRun.createdAt > since && StoredRun.endedAt >= end
          && StoredRun.state == RunState.succeeded.rawValue && StoredRun.parent.isNil()
          && StoredRun.params == run.params && StoredRun.path == run.path
          && (isSame || StoredRun.trigger == RunTrigger.retry.rawValue),
        orderBy: [StoredRun.createdAt.descending, StoredRun.number.descending]
      ) { stored in
        guard let other = stored.record, other.origin.selection == .all else { return true }
        found.append(other)
        // The first one that is not a retry decides.
        return other.trigger == .retry
      }
      return found
    }
    for other in successes {
      let its = try origin(of: other)
      if its.instant == asked.instant, its.event == asked.event { return true }
    }
    return false
  }
}
