import Workspace

/// What in a history can be followed, whichever process changes it.
///
/// Handlers are called on a thread of the workspace, one at a time, for as long as somebody holds what the methods return.
extension History {
  /// Follows the runs that go on and that are new: `handler` is called when a run has begun, changed its state or ended.
  package func followRuns(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    let runs = workspace.fetch(for: StoredRun.self)
    // One that has come to its end between two looks is not among those that go on.
    let newest = try runs.all(limit: 1, orderBy: [StoredRun.number.descending])
    return [
      try workspace.subscribe(fetchedResult: runs.where(StoredRun.goesOn)) { _ in handler() },
      try workspace.subscribe(fetchedResult: newest) { _ in handler() },
    ]
  }

  /// Follows the ends of the runs of a pipeline; `handler` may be called where none of them has ended. Those of other pipelines, and what else becomes of its own, cost
  /// it nothing, as far as this process runs them.
  package func followEnds(
    ofRunsOf pipeline: String, _ handler: @escaping @Sendable () -> Void
  ) throws -> Subscription {
    try workspace.subscribe(changesOf: StoredRun.self, in: pipeline, changeHandler: handler)
  }

  /// Follows what is asked of the hosts of runs, and the answers to questions; `handler` may be called where nothing of that has changed.
  package func followRequests(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    [
      try followRunRequests(handler),
      try workspace.subscribe(changesOf: StoredApproval.self, changeHandler: handler),
    ]
  }

  /// Follows what is asked of the hosts of runs, without the answers.
  package func followRunRequests(_ handler: @escaping @Sendable () -> Void) throws -> Subscription {
    try workspace.subscribe(changesOf: StoredRequest.self, changeHandler: handler)
  }

  /// Follows a lease: `handler` is called when it has been granted or given back.
  package func followLease(_ name: String, _ handler: @escaping @Sendable () -> Void) throws -> Subscription {
    let leases = try workspace.fetch(for: StoredLease.self).where(StoredLease.name == name)
    return try workspace.subscribe(fetchedResult: leases) { _ in handler() }
  }

  /// Follows whatever happens in runs, and the leases; `handler` may be called where nothing of that has changed.
  package func followActivity(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    [
      try workspace.subscribe(changesOf: StoredRun.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredOperation.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredAttempt.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredApproval.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredLease.self, changeHandler: handler),
    ]
  }

  /// Follows the runs and their operations, the queue, the pauses, and what the host publishes; `handler` may be called where nothing of that has changed.
  package func followStatus(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    try [
      workspace.subscribe(changesOf: StoredRun.self, changeHandler: handler),
      workspace.subscribe(changesOf: StoredOperation.self, changeHandler: handler),
    ] + followQueue(handler)
      + followHosting(handler)
  }

  /// Follows the runs and their attempts; `handler` may be called where none of them has changed.
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
