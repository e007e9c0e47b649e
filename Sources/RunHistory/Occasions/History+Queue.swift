import SQLite
import Workspace

/// A queued run.
public struct QueuePlace: Sendable, Hashable {
  /// The run.
  public var run: RunID
  /// The name of its pipeline.
  public var pipeline: String
  /// The queue that it waits in.
  public var queue: String
  /// Its priority: runs with a higher priority begin first.
  public var priority: Int
  /// When it was requested.
  public var askedAt: RecordTime
  /// The time by which it must have begun, or it is skipped; nil for no limit.
  public var startBy: RecordTime?
  /// Whether a host has claimed it, to begin it when `overlap` allows it and its secrets have been read.
  public var isTaken: Bool
}

extension History {
  /// Returns the queued runs: by queue, the highest priority first, then by age.
  ///
  /// - Parameters:
  ///   - pipeline: Only runs of this pipeline. Default nil, for all.
  ///   - limit: The maximum number. Default 1,000.
  /// - Returns: The queued runs.
  /// - Throws: `WorkspaceError`.
  public func queue(of pipeline: String? = nil, limit: Int = 1000) throws(WorkspaceError) -> [QueuePlace] {
    try read { db in
      try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT r.id, q.pipeline, q.queue, q.priority, q.asked_at, q.start_by, q.taken_at IS NOT NULL
            FROM queue_entry q JOIN run_record r ON r.number = q.run
            WHERE ?1 IS NULL OR q.pipeline = ?1
            ORDER BY q.queue, q.priority DESC, q.run LIMIT ?2
            """), arguments: [pipeline, limit]
      ).compactMap { row in
        guard let run = RunID(row[0] as String) else { return nil }
        return QueuePlace(
          run: run, pipeline: row[1], queue: row[2], priority: row[3], askedAt: RecordTime(microseconds: row[4]),
          startBy: (row[5] as Int64?).map(RecordTime.init(microseconds:)), isTaken: row[6])
      }
    }
  }

  /// Returns how many runs are queued, and how many of them a host has claimed without their having begun.
  package func queueCounts() throws(WorkspaceError) -> (queued: Int, taken: Int) {
    try read { db in
      let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT count(*), count(taken_at) FROM queue_entry"))
      return row.map { ($0[0], $0[1]) } ?? (0, 0)
    }
  }

  /// Returns the pauses of pipelines, or nil if no queued run can be claimed, which is determined without a write transaction.
  package func pausesOfQueue(at time: RecordTime) throws(WorkspaceError) -> [Pause]? {
    try read { db in
      let first = try Int.fetchOne(
        db.cachedStatement(sql: "SELECT 1 FROM queue_entry WHERE taken_at IS NULL LIMIT 1"))
      return first == nil ? nil : try Pauses.all(at: time, in: db)
    }
  }

  /// Returns the earliest time by which a queued run must have begun, or nil if there is none.
  package func nextStartBy() throws(WorkspaceError) -> RecordTime? {
    try read { db in
      try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT min(start_by) FROM queue_entry WHERE start_by IS NOT NULL AND taken_at IS NULL")
      )
      .map(RecordTime.init(microseconds:))
    }
  }

  /// Records an occasion together with its queued run, or with the reason why there is none, for a program that hosts no runs. If there is a run,
  /// `requester` is recorded with it.
  package func admit(
    _ request: OccasionRequest, for requester: Requester? = nil
  ) throws(WorkspaceError) -> Admission {
    let admission = try write { db in
      var late: [LateRun] = []
      let admission = try OccasionLedger.admit(request, leavingOut: &late, in: db)
      if let requester, let run = admission.run {
        let occasion = request.occasion
        let source = request.run?.record.origin.source
        try AuditRows.add(
          AuditEntry(
            time: occasion.askedAt, by: requester, source == nil ? .start : .retry,
            source?.text ?? occasion.pipeline, detail: "run \(run.text)"), in: db)
      }
      return admission
    }
    workspace.announce()
    return admission
  }

  /// Follows the queue and the pauses: `handler` is called when one of them has changed, and possibly when neither has.
  package func followQueue(_ handler: @escaping @Sendable () -> Void) throws -> [Subscription] {
    [
      try workspace.subscribe(changesOf: StoredQueueEntry.self, changeHandler: handler),
      try workspace.subscribe(changesOf: StoredPause.self, changeHandler: handler),
    ]
  }
}

extension History {
  /// Returns for each of the runs, if there is one, the latest run of its pipeline that is later and has not been claimed from the queue.
  package func successors(of runs: some Sequence<RunID>) throws(WorkspaceError) -> [RunID: RunID] {
    try read { db in
      // Usually, nothing is queued that could begin.
      let first = try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT run FROM queue_entry WHERE taken_at IS NULL LIMIT 1"))
      guard first != nil else { return [:] }
      let statement = try db.cachedStatement(
        sql: """
          SELECT s.id FROM run_record r CROSS JOIN queue_entry q ON q.pipeline = r.pipeline AND q.run > r.number
          CROSS JOIN run_record s ON s.number = q.run
          WHERE r.id = ? AND q.taken_at IS NULL ORDER BY q.run DESC LIMIT 1
          """)
      return try runs.reduce(into: [:]) { successors, run in
        successors[run] = try String.fetchOne(statement, arguments: [run.text]).flatMap { RunID($0) }
      }
    }
  }

  /// Returns how many runs are queued, by the names of their pipelines.
  package func queuedRuns() throws(WorkspaceError) -> [String: Int] {
    try read { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(sql: "SELECT pipeline, count(*) FROM queue_entry GROUP BY pipeline"))
      return Dictionary(rows.map { ($0[0] as String, $0[1] as Int) }) { first, _ in first }
    }
  }
}
