import Workspace

/// The run that a command takes where nobody names one.
extension History {
  /// The latest run that a command without an id is meant for. Nested runs are never taken.
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
      // Of a busy pipeline with `overlap: skip`, runs that were cancelled may be many: they get a limit of their own.
      let failed = try runs(RunFilter(pipeline: pipeline, states: [.failed, .interrupted], limit: Self.mostCandidates))
      let cancelled = try runs(RunFilter(pipeline: pipeline, states: [.cancelled], limit: Self.mostCandidates))
        .filter { $0.canceller?.isSignalOfSystem ?? false }
      let candidates = (failed + cancelled).sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
      for candidate in candidates where try !isRepaired(candidate) { return candidate }
      return nil
    }
  }

  /// The latest run that was cancelled and has not been repaired since. Nested runs do not count.
  package func latestCancelledRun(of pipeline: String? = nil) throws(WorkspaceError) -> RunRecord? {
    let cancelled = try runs(RunFilter(pipeline: pipeline, states: [.cancelled], limit: Self.mostCandidates))
    for candidate in cancelled where try !isRepaired(candidate) { return candidate }
    return nil
  }

  /// The run that a retry, or a retry of one, repeats at last, as far as it is still recorded; the run itself where it is not a retry.
  package func origin(of run: RunRecord) throws(WorkspaceError) -> RunRecord {
    var origin = run
    // A run can only repeat an earlier one, unless somebody has made the records up.
    while origin.trigger == .retry, let source = origin.origin.source, source < origin.id,
      let former = try self.run(source)
    {
      origin = former
    }
    return origin
  }

  /// Of how many runs that did not succeed it is asked whether they have been repaired.
  private static let mostCandidates = 200

  /// Whether what the run was to do has been done since: by a retry of it, or by another run of the same.
  private func isRepaired(_ run: RunRecord) throws(WorkspaceError) -> Bool {
    if try isRepairedByRetry(run) { return true }
    return try isRepairedByOther(run)
  }

  /// Whether a retry of the run has succeeded, or a retry of that one, and so on. One that left something out repaired nothing.
  private func isRepairedByRetry(_ run: RunRecord) throws(WorkspaceError) -> Bool {
    // A retry begins after what it retries. Of the runs of a pipeline, which may be a million, the retries alone are read.
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

  /// Whether the pipeline, from the same file, has succeeded as a whole since, with the same params, for the same instant and the same event.
  private func isRepairedByOther(_ run: RunRecord) throws(WorkspaceError) -> Bool {
    // A retry stands for the start of what it repeats, which does not set it apart from a run that stands for none.
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
