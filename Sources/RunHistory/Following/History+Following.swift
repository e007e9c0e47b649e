import Workspace

/// What can be followed in a history, whichever process changes it.
///
/// Handlers are called on a thread of the workspace, one at a time, for as long as the returned subscriptions are retained.
extension History {
  /// Follows active and new runs: `handler` is called when a run has begun, changed its state or ended.
  package func followRuns(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    let runs = workspace.fetch(for: StoredRun.self)
    // A run that begins and ends between two checks is never among the active ones.
    let newest = try runs.all(limit: 1, orderBy: [StoredRun.number.descending])
    return [
      try workspace.subscribe(fetchedResult: runs.where(StoredRun.goesOn)) { _ in handler() },
      try workspace.subscribe(fetchedResult: newest) { _ in handler() },
    ]
  }

  /// Follows the ends of the runs of a pipeline. `handler` may be called when none of them has ended. Runs of other pipelines, and other changes of
  /// its own runs, cost nothing as far as this process executes them.
  package func followEnds(
    ofRunsOf pipeline: String, _ handler: @escaping @Sendable () -> Void
  ) throws -> Subscription {
    try workspace.subscribe(changesOf: StoredRun.self, in: pipeline, changeHandler: handler)
  }

  /// Follows the requests to the hosts of runs, and the answers to questions. `handler` may be called when none of these has changed.
  package func followRequests(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    [
      try followRunRequests(handler),
      try workspace.subscribe(changesOf: StoredApproval.self, changeHandler: handler),
    ]
  }

  /// Follows the requests to the hosts of runs, without the answers.
  package func followRunRequests(_ handler: @escaping @Sendable () -> Void) throws -> Subscription {
    try workspace.subscribe(changesOf: StoredRequest.self, changeHandler: handler)
  }

  /// Follows a lease: `handler` is called when it has been granted or released.
  package func followLease(_ name: String, _ handler: @escaping @Sendable () -> Void) throws -> Subscription {
    let leases = try workspace.fetch(for: StoredLease.self).where(StoredLease.name == name)
    return try workspace.subscribe(fetchedResult: leases) { _ in handler() }
  }

  /// Follows everything that happens in runs, and the leases. `handler` may be called when none of these has changed.
  package func followActivity(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    [
      try workspace.subscribe(changesOf: StoredRun.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredOperation.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredAttempt.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredApproval.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredLease.self, changeHandler: handler),
    ]
  }

  /// Follows the runs and their operations, the queue, the pauses, and what the host publishes. `handler` may be called when none of these has changed.
  package func followStatus(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    try [
      workspace.subscribe(changesOf: StoredRun.self, changeHandler: handler),
      workspace.subscribe(changesOf: StoredOperation.self, changeHandler: handler),
    ] + followQueue(handler)
      + followHosting(handler)
  }

  /// Follows the runs and their attempts. `handler` may be called when none of them has changed.
  package func followAttempts(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    [
      try workspace.subscribe(changesOf: StoredAttempt.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredRun.self, changeHandler: handler),
    ]
  }

  /// Follows the logs of a run; nil as long as it has no directory.
  package func followLogs(of run: RunID, _ handler: @escaping @Sendable () -> Void) -> Subscription? {
    workspace.subscribe(filesIn: "runs/\(run)", changeHandler: handler)
  }
}
