import SQLite
import Workspace

/// What the host of a workspace publishes about itself, and the requests to it.
extension History {
  /// Returns the command that starts the latest host again; plain `penstock serve` if there was none.
  package func hostCommand() throws(WorkspaceError) -> String {
    try hosts(limit: 1).first?.command ?? HostRecord.plainCommand
  }

  /// Returns the hosts of the workspace, the latest first.
  public func hosts(limit: Int = 20) throws(WorkspaceError) -> [HostRecord] {
    func died(_ hosts: [HostRecord]) -> Set<Int64> { Set(hosts.filter { $0.state == .died }.map(\.number)) }
    var found = try recordedHosts(limit)
    // A host may record its end and exit after its row was read and before its process is checked; only a host that had exited before its row was
    // read has not recorded its end.
    while !died(found).isEmpty {
      let later = try recordedHosts(limit)
      if died(later).isSubset(of: died(found)) { return later }
      found = later
    }
    return found
  }

  /// Returns when these hosts were draining: from the first request until their end. Those that were not asked to, or have not recorded their end, are left
  /// out.
  package func drains(of hosts: [HostRecord]) throws(WorkspaceError) -> [ClosedRange<RecordTime>] {
    try read { db in
      try hosts.compactMap { host in
        guard let end = host.endedAt, end >= host.startedAt else { return nil }
        let asked = try Int64.fetchOne(
          db.cachedStatement(sql: "SELECT min(at) FROM audit_record WHERE what = 'drain' AND at BETWEEN ? AND ?"),
          arguments: [host.startedAt.microseconds, end.microseconds])
        return asked.map { RecordTime(microseconds: $0)...end }
      }
    }
  }

  private func recordedHosts(_ limit: Int) throws(WorkspaceError) -> [HostRecord] {
    try read { db in
      try db.fetch(for: StoredHost.self)
        .where(StoredHost.number >= 0, limit: .limit(limit), orderBy: [StoredHost.number.descending])
        .compactMap { $0.record(in: db) }
    }
  }

  /// Returns the host that currently serves the workspace, or nil if there is none.
  package func currentHost() throws(WorkspaceError) -> HostRecord? {
    try hosts(limit: 1).first { $0.state != .stopped && $0.state != .died }
  }

  /// Records a host, and returns the number of its row.
  package func add(_ host: HostRecord) throws(WorkspaceError) -> Int64 {
    try write { db in
      try db.changing([StoredHost.self]) { context in
        let last = try context.fetch(for: StoredHost.self).maximum(StoredHost.number) ?? 0
        try context.submit(StoredHost.creationRequest(StoredHost(host, number: last + 1)))
        // Hosts that ended long ago are of no interest.
        try context.delete(StoredHost.self, where: StoredHost.number <= last - 100)
        return last + 1
      }
    }
  }

  /// Records the progress of a host, and who requested it, if anyone did.
  package func update(_ host: HostRecord, with entry: AuditEntry? = nil) throws(WorkspaceError) {
    try write { db in
      if let entry { try AuditRows.add(entry, in: db) }
      try db.changing([StoredHost.self]) { context in
        _ = try context.submit(StoredHost.upsertRequest(StoredHost(host, number: host.number)))
      }
    }
    workspace.announce()
  }

  // MARK: Pipelines

  /// Returns the pipelines that the host serves, or that the last one served, by name.
  public func publishedPipelines() throws(WorkspaceError) -> [PublishedPipeline] {
    try read { db in
      try db.fetch(for: StoredPipeline.self).where(
        StoredPipeline.loadedAt >= Int64.min, orderBy: [StoredPipeline.name.ascending]
      )
      .map(\.published)
    }
  }

  /// Returns one published pipeline.
  package func publishedPipeline(_ name: String) throws(WorkspaceError) -> PublishedPipeline? {
    try read { db in try db.fetch(for: StoredPipeline.self).where(StoredPipeline.name == name).first?.published }
  }

  /// Returns the published pipeline that is due next, as far as known, excluding those that are paused until then; nil if there is none.
  package func nextDue(at now: RecordTime) throws(WorkspaceError) -> PublishedPipeline? {
    try read { db in
      let pauses = try Pauses.all(at: now, in: db)
      let due = try db.fetch(for: StoredPipeline.self)
        .where(
          StoredPipeline.nextAt >= 0, limit: .limit(pauses.count + 1), orderBy: [StoredPipeline.nextAt.ascending])
      return due.map(\.published).first { pipeline in
        !pauses.contains { pause in
          pause.pipeline == pipeline.name && pause.until.map { end in pipeline.nextAt.map { $0 < end } ?? true } ?? true
        }
      }
    }
  }

  /// Publishes pipelines, replacing those published under their names; those under `removed` are no longer served.
  package func publish(_ pipelines: [PublishedPipeline], removed: [String] = []) throws(WorkspaceError) {
    guard !pipelines.isEmpty || !removed.isEmpty else { return }
    try write { db in
      try db.changing([StoredPipeline.self]) { context in
        for name in removed { try context.delete(StoredPipeline.self, where: StoredPipeline.name == name) }
        for pipeline in pipelines { try context.submit(StoredPipeline.upsertRequest(StoredPipeline(pipeline))) }
      }
      for name in removed { try SpecificationRows.removeAll(of: name, in: db) }
    }
  }

  /// Publishes when pipelines are due next, and what makes them due then.
  package func publishNext(
    _ instants: [(pipeline: String, at: RecordTime?, cause: String?)]
  ) throws(WorkspaceError) {
    try write(changing: [StoredPipeline.self]) { try StoredPipeline.publishNext(instants, in: $0) }
  }

  // MARK: Requests

  /// Requests the host to do something, and notifies it. If no host is running, the next one handles the request.
  ///
  /// - Parameters:
  ///   - request: What it should do.
  ///   - run: The run that the request concerns; nil if it concerns the host.
  ///   - requester: Who requests it.
  ///   - time: The current time.
  /// - Returns: The number of the request.
  /// - Throws: `WorkspaceError`.
  @discardableResult
  package func ask(
    _ request: HostRequest, about run: RunID? = nil, for requester: Requester, at time: RecordTime
  ) throws(WorkspaceError) -> Int64 {
    let number = try write { db in
      try AuditRows.add(
        AuditEntry(
          time: time, by: requester, request.action, run?.text ?? HostRecord.lease, detail: request.detail),
        in: db)
      return try db.changing([StoredHostRequest.self]) { context in
        let last = try context.fetch(for: StoredHostRequest.self).maximum(StoredHostRequest.number) ?? 0
        try context.submit(
          StoredHostRequest.creationRequest(
            StoredHostRequest(
              number: last + 1, kind: request.rawValue, who: requester.who, requestedAt: time.microseconds,
              run: run?.text)))
        return last + 1
      }
    }
    workspace.announce()
    return number
  }

  /// Records why a request to the host failed.
  package func note(failure: String, of request: Int64) throws(WorkspaceError) {
    try write { db in
      try db.changing([StoredHostRequest.self]) { context in
        _ = try context.update(
          StoredHostRequest.self, set: [StoredHostRequest.failure.set(failure)],
          where: StoredHostRequest.number == request)
      }
    }
    workspace.announce()
  }

  /// Returns why a request to the host failed, or nil if it succeeded or is still pending.
  package func failure(ofHostRequest number: Int64) throws(WorkspaceError) -> String? {
    try read { db in
      try db.fetch(for: StoredHostRequest.self).where(StoredHostRequest.number == number).first?.failure
    }
  }

  /// Whether the host has been requested to drain, in either way, and has not claimed the request.
  package func isDrainAsked() throws(WorkspaceError) -> Bool {
    let kinds = [HostRequest.drain, .drainNow].map(\.rawValue)
    return try read { db in
      try db.fetch(for: StoredHostRequest.self)
        .count(where: StoredHostRequest.takenAt.isNil() && StoredHostRequest.kind.in(kinds)) > 0
    }
  }

  /// Claims the requests to the host, in order; those not among `kinds` are left to the next host.
  package func takeHostRequests(
    _ kinds: [HostRequest] = HostRequest.allCases, at time: RecordTime
  ) throws(WorkspaceError) -> [AskedOfHost] {
    let isWanted = StoredHostRequest.takenAt.isNil() && StoredHostRequest.kind.in(kinds.map(\.rawValue))
    let isAny = try read { try $0.fetch(for: StoredHostRequest.self).count(where: isWanted) > 0 }
    guard isAny else { return [] }
    return try write { db in
      let waiting = try db.fetch(for: StoredHostRequest.self)
        .where(isWanted, orderBy: [StoredHostRequest.number.ascending])
      try db.changing([StoredHostRequest.self]) { context in
        _ = try context.update(
          StoredHostRequest.self, set: [StoredHostRequest.takenAt.set(time.microseconds)],
          where: isWanted)
      }
      return waiting.compactMap { stored in
        HostRequest(rawValue: stored.kind).map {
          AskedOfHost(number: stored.number, request: $0, who: stored.who, run: stored.run.flatMap { RunID($0) })
        }
      }
    }
  }

  /// Follows the requests to the host.
  package func followHostRequests(_ handler: @escaping @Sendable () -> Void) throws -> Subscription {
    try workspace.subscribe(changesOf: StoredHostRequest.self, changeHandler: handler)
  }

  /// Follows what the host publishes.
  package func followHosting(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    [
      try workspace.subscribe(changesOf: StoredHost.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredPipeline.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredControllerProblem.self, changeHandler: handler),
    ]
  }
}

extension HistoryRecorder {
  /// Publishes when pipelines are due next, in a transaction shared with other records.
  package nonisolated(nonsending) func publishNext(
    _ instants: [(pipeline: String, at: RecordTime?, cause: String?)]
  ) async throws {
    try await perform(changing: { _ in [StoredPipeline.self] }) { try StoredPipeline.publishNext(instants, in: $0) }
  }
}

extension StoredHost {
  init(_ host: HostRecord, number: Int64) {
    self.init(
      number: number, boot: host.owner.boot, pid: Int64(host.owner.pid), processStarted: host.owner.started,
      host: host.host, user: host.user, version: host.version, state: host.state.rawValue,
      startedAt: host.startedAt.microseconds, readyAt: host.readyAt?.microseconds, endedAt: host.endedAt?.microseconds,
      configuration: host.configuration)
  }

  func record(in db: Database) -> HostRecord? {
    guard let state = HostRecord.State(rawValue: state) else { return nil }
    let owner = ProcessIdentity(boot: boot, pid: pid.asProcess, started: processStarted)
    var record = HostRecord(
      owner: owner, host: host, user: user, version: version, startedAt: RecordTime(microseconds: startedAt),
      configuration: configuration)
    record.number = number
    record.state = state == .stopped || owner.isAlive(in: db) ? state : .died
    record.readyAt = readyAt.map(RecordTime.init(microseconds:))
    record.endedAt = endedAt.map(RecordTime.init(microseconds:))
    return record
  }
}

extension StoredPipeline {
  /// Publishes when pipelines are due next.
  fileprivate static func publishNext(
    _ instants: [(pipeline: String, at: RecordTime?, cause: String?)], in db: Database
  ) throws {
    try db.changing([StoredPipeline.self]) { context in
      for next in instants {
        _ = try context.update(
          StoredPipeline.self,
          set: [StoredPipeline.nextAt.set(next.at?.microseconds), StoredPipeline.nextCause.set(next.cause)],
          where: StoredPipeline.name == next.pipeline)
      }
    }
  }

  init(_ pipeline: PublishedPipeline) {
    self.init(
      name: pipeline.name, path: pipeline.path, description: pipeline.description,
      labels: RunLabels.text(of: pipeline.labels), queue: pipeline.queue, priority: Int64(pipeline.priority),
      problem: pipeline.problem, isLoaded: pipeline.isLoaded, loadedAt: pipeline.loadedAt.microseconds,
      nextAt: pipeline.nextAt?.microseconds, nextCause: pipeline.nextCause, causes: pipeline.causes)
  }

  var published: PublishedPipeline {
    var pipeline = PublishedPipeline(name: name, path: path, loadedAt: RecordTime(microseconds: loadedAt))
    pipeline.description = description
    pipeline.labels = RunLabels.labels(of: labels)
    pipeline.queue = queue
    pipeline.priority = Int(priority)
    pipeline.problem = problem
    pipeline.isLoaded = isLoaded
    pipeline.nextAt = nextAt.map(RecordTime.init(microseconds:))
    pipeline.nextCause = nextCause
    pipeline.causes = causes
    return pipeline
  }
}

/// What a starting host finds of runs that another host has left.
extension History {
  /// Whether the run was started by an occasion, as those of hosts are.
  package func hasOccasion(_ run: RunID) throws(WorkspaceError) -> Bool {
    try read { db in
      guard let number = try RunRows.number(of: run, in: db) else { return false }
      return try Int.fetchOne(
        db.cachedStatement(sql: "SELECT 1 FROM occasion WHERE run = ? AND outcome IN ('run', 'queued') LIMIT 1"),
        arguments: [number]) != nil
    }
  }

  /// Returns the interrupted runs that a host had begun, without nested ones, the oldest first.
  ///
  /// - Parameters:
  ///   - pipeline: Only runs of this pipeline. Default: of all.
  ///   - run: Only runs that are earlier than this one, which need not be recorded yet. Default: all.
  /// - Returns: The runs.
  /// - Throws: `WorkspaceError` if the history cannot be read.
  package func interruptedRuns(
    of pipeline: String? = nil, before run: RunID? = nil
  ) throws(WorkspaceError) -> [RunRecord] {
    try read { db in
      let numbers = try Int64.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT r.number FROM run_record r WHERE r.state = 'interrupted' AND r.parent IS NULL
              AND EXISTS (SELECT 1 FROM occasion o WHERE o.run = r.number AND o.outcome = 'run')
              AND (?1 IS NULL OR r.pipeline = ?1)
              AND (?2 IS NULL OR r.number < ifnull((SELECT number FROM run_record WHERE id = ?2), 9223372036854775807))
            ORDER BY r.number
            """), arguments: [pipeline, run?.text])
      return try Self.runs(numbers, in: db)
    }
  }

  /// Returns the interrupted runs whose cancellation was requested, whatever executed them, the oldest first.
  package func interruptedRunsToCancel() throws(WorkspaceError) -> [RunRecord] {
    try read { db in
      let numbers = try Int64.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT DISTINCT r.number FROM request q JOIN run_record r ON r.number = q.run
            WHERE q.kind IN ('cancel', 'kill') AND r.state = 'interrupted' AND r.parent IS NULL ORDER BY r.number
            """))
      return try Self.runs(numbers, in: db)
    }
  }

  private static func runs(_ numbers: [Int64], in db: Database) throws -> [RunRecord] {
    try numbers.flatMap { try RunRows.all(StoredRun.number == $0, in: db) }.map { try RunRows.presented($0, in: db) }
  }

  /// Records that an interrupted run has failed, because it will not be resumed, and what that means for its operations: what had begun has failed, and
  /// what had not is cancelled with the run.
  package func fail(_ run: RunID, at time: RecordTime) throws(WorkspaceError) {
    try write { db in
      guard let found = try RunRows.find(run, in: db), found.record.state == .interrupted else { return }
      try db.changing([StoredRun.self, StoredOperation.self]) { context in
        let unfinished = StoredOperation.of(found.number) && StoredOperation.state == OperationState.pending.rawValue
        let error = RecordedError.hostDied
        try context.update(
          StoredOperation.self,
          set: [
            StoredOperation.state.set(OperationState.failed.rawValue), StoredOperation.reason.set(error.code),
            StoredOperation.errorCode.set(error.code), StoredOperation.error.set(error.message),
            StoredOperation.endedAt.set(time.microseconds),
          ], where: unfinished && StoredOperation.attempts > 0)
        try context.update(
          StoredOperation.self,
          set: [
            StoredOperation.state.set(OperationState.cancelled.rawValue),
            StoredOperation.endedAt.set(time.microseconds),
          ], where: unfinished)
        try context.submit(
          StoredRun.changeRequest(found.stored) { stored in
            stored.state = RunState.failed.rawValue
            stored.reason = stored.reason ?? RecordedError.hostDied.code
            stored.endedAt = time.microseconds
          })
      }
    }
    workspace.announce()
  }
}
