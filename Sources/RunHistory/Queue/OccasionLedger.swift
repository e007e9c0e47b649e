import SQLite
import Workspace

/// Records occasions, each with its outcome in one transaction: a run that is queued, or the reason why there is none.
///
/// All functions require a write transaction.
enum OccasionLedger {
  /// How many occasions of a pipeline are kept even if they have no run.
  static let remembered = 10_000
  /// How long an occasion without a run is kept, in microseconds: 90 days.
  static let keptFor: Int64 = 90 * 86_400 * 1_000_000
  /// The number of occasions between two deletions of old ones.
  private static let interval: Int64 = 256

  /// Returns the object types changed by these admissions and by skipping late runs.
  static func types(of admitted: [(request: OccasionRequest, admission: Admission)], late: [LateRun]) -> ChangedTypes {
    var types: ChangedTypes = late.isEmpty ? [] : [StoredRun.self, StoredOccasion.self, StoredQueueEntry.self]
    for (request, admission) in admitted {
      switch admission {
      case .known: break
      case .skipped: types.insert(StoredOccasion.self)
      case .queued(_, let replaced):
        types.formUnion([StoredOccasion.self, StoredQueueEntry.self])
        types.insertUngrouped(StoredRun.self)
        if !replaced.isEmpty { types.insert(StoredRun.self, in: request.occasion.pipeline) }
      }
    }
    return types
  }

  /// Records an occasion with its outcome. Runs that are too late by then are skipped first and added to `late`, so that they do not count against it.
  static func admit(_ request: OccasionRequest, leavingOut late: inout [LateRun], in db: Database) throws -> Admission {
    let occasion = request.occasion
    if request.run != nil { late += try leaveOutLate(at: occasion.askedAt, in: db) }
    switch try memory(of: occasion, in: db) {
    case .none: break
    case .known: return .known
    case .forgotten: return .skipped(try refuseForgotten(occasion, in: db), nil)
    }
    if let reason = occasion.reason {
      try add(occasion, run: nil, in: db)
      return .skipped(reason, nil)
    }
    guard let run = request.run else { return .known }
    if let refusal = try refusal(of: request, in: db) {
      var skipped = occasion
      (skipped.outcome, skipped.reason) = (.skipped, refusal.reason)
      skipped.detail = refusal.detail ?? occasion.detail
      try add(skipped, run: refusal.other?.number, in: db)
      return .skipped(refusal.reason, refusal.other?.id)
    }
    let replaced = request.overlap == .cancel ? try replaceQueued(of: occasion.pipeline, by: run.record, in: db) : []
    let number = try add(run, askedAt: occasion.askedAt, in: db)
    try add(occasion, run: number, in: db)
    return .queued(run.record.id, replacing: replaced)
  }

  /// Records an occasion whose run begins immediately and belongs to `owner` from the beginning. Returns nil if its instant is already known, or may have
  /// been.
  static func begin(_ occasion: Occasion, _ run: QueuedRun, by owner: ProcessIdentity, in db: Database) throws -> Int64?
  {
    guard try isNew(occasion, in: db) else { return nil }
    var record = run.record
    record.owner = owner
    let number = try RunRows.add(record, definition: run.definition, nested: run.nested, in: db)
    try add(occasion, run: number, in: db)
    return number
  }

  // MARK: Rejecting

  private struct Refusal {
    var reason: Occasion.Reason
    var other: (number: Int64, id: RunID)?
    var detail: String?
  }

  private static func refusal(of request: OccasionRequest, in db: Database) throws -> Refusal? {
    let occasion = request.occasion
    // A run that a person requests is queued, and waits for the end of the pause.
    if occasion.cause.comesByItself {
      if let pause = try Pauses.refusing(occasion, in: db) {
        return Refusal(reason: .paused, detail: pause.recordedWords)
      }
    }
    if request.capacity < .max {
      if try isQueueFull(request.capacity, in: db) {
        return Refusal(reason: .queueFull, detail: "\(request.capacity) runs are queued")
      }
      let share = share(of: request.capacity)
      if occasion.cause.comesByItself, share < request.capacity,
        try hasQueued(share, of: occasion.pipeline, at: occasion.askedAt, in: db)
      {
        return Refusal(
          reason: .queueFull,
          detail: "\(share) runs of this pipeline are queued, and the rest of the queue is reserved for other pipelines"
        )
      }
    }
    // A run that is too late does not give way to others.
    if let startBy = request.run?.startBy, startBy < occasion.askedAt { return Refusal(reason: .tooLate) }
    guard request.overlap == .skip,
      let other = try activeRun(of: occasion.pipeline, at: occasion.askedAt, in: db)
        ?? unendedRun(among: request.others, at: occasion.askedAt, in: db)
    else { return nil }
    return Refusal(reason: .overlap, other: other)
  }

  private static func isQueueFull(_ capacity: Int, in db: Database) throws -> Bool {
    guard capacity > 0 else { return true }
    // There are at most as many entries as numbers between the first and the last one, which is checked without a scan.
    let most = try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT (SELECT max(run) FROM queue_entry) - (SELECT min(run) FROM queue_entry) + 1"))
    guard let most, most >= capacity else { return false }
    let waiting = try Int.fetchOne(
      db.cachedStatement(sql: "SELECT 1 FROM queue_entry WHERE taken_at IS NULL LIMIT 1 OFFSET ?"),
      arguments: [capacity - 1])
    return waiting != nil
  }

  /// Returns how many queued runs a pipeline may have that begin by themselves, so that a flooding controller leaves room for others.
  private static func share(of capacity: Int) -> Int { max(min(capacity, 100), min(capacity / 2, 10_000)) }

  private static func hasQueued(
    _ count: Int, of pipeline: String, at time: RecordTime, in db: Database
  ) throws -> Bool {
    let waiting = try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT 1 FROM queue_entry WHERE pipeline = ? AND ifnull(start_by >= ?, 1) LIMIT 1 OFFSET ?"),
      arguments: [pipeline, time.microseconds, count - 1])
    return waiting != nil
  }

  /// Returns one of `runs` that has not ended: it is interrupted and about to be resumed. One that is too late at `time` does not count, because its
  /// host is about to skip it.
  private static func unendedRun(
    among runs: [RunID], at time: RecordTime, in db: Database
  ) throws -> (number: Int64, id: RunID)? {
    for id in runs {
      let row = try Row.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT number FROM run_record WHERE id = ? AND state IN ('queued', 'running', 'interrupted')
              AND number NOT IN (SELECT run FROM queue_entry WHERE run = number AND start_by < ?)
            """), arguments: [id.text, time.microseconds])
      if let row { return (row[0], id) }
    }
    return nil
  }

  /// Returns a run of the pipeline that is running, or that is queued and may still begin at `time`.
  private static func activeRun(
    of pipeline: String, at time: RecordTime, in db: Database
  ) throws -> (number: Int64, id: RunID)? {
    // Queued runs are found by their queue entries, and owned ones, which are few, by their index; neither all runs of the pipeline nor all queued
    // runs are scanned.
    let rows = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT r.number, r.id, r.boot, r.pid, r.process_started
          FROM queue_entry q CROSS JOIN run_record r ON r.number = q.run
          WHERE q.pipeline = ?1 AND r.state IN ('queued', 'running') AND ifnull(q.start_by >= ?2, 1)
          UNION
          SELECT number, id, boot, pid, process_started FROM run_record INDEXED BY run_owned
          WHERE pipeline = ?1 AND state IN ('queued', 'running') AND process_started <> -1
            AND number NOT IN (SELECT run FROM queue_entry WHERE run = number AND start_by < ?2)
          ORDER BY 1
          """), arguments: [pipeline, time.microseconds])
    for row in rows {
      let owner = ProcessIdentity(boot: row[2], pid: Int32(exactly: row[3] as Int64) ?? 0, started: row[4])
      guard let id = RunID(row[1] as String), owner == .nobody || owner.isAlive(in: db) else { continue }
      return (row[0], id)
    }
    return nil
  }

  /// Ends the queued runs of a pipeline, because `run` replaces them, and returns them.
  private static func replaceQueued(of pipeline: String, by run: RunRecord, in db: Database) throws -> [RunID] {
    let canceller = RunCanceller(who: run.id.text, means: .overlap)
    let waiting = try Int64.fetchAll(
      db.cachedStatement(sql: "SELECT run FROM queue_entry WHERE pipeline = ? AND taken_at IS NULL"),
      arguments: [pipeline])
    return try waiting.compactMap { number in
      try endQueued(number, canceller: canceller, outcome: .replaced, reason: .overlap, at: run.createdAt, in: db)
        ? id(of: number, in: db) : nil
    }
  }

  static func id(of number: Int64, in db: Database) throws -> RunID? {
    try String.fetchOne(db.cachedStatement(sql: "SELECT id FROM run_record WHERE number = ?"), arguments: [number])
      .flatMap { RunID($0) }
  }

  // MARK: Rows

  /// Ends a queued run that no host has claimed. Returns false if one has, or if the run has ended.
  @discardableResult
  static func endQueued(
    _ number: Int64, canceller: RunCanceller?, outcome: Occasion.Outcome, reason: Occasion.Reason, at time: RecordTime,
    in db: Database
  ) throws -> Bool {
    try db.cachedStatement(sql: "DELETE FROM queue_entry WHERE run = ? AND taken_at IS NULL")
      .execute(arguments: [number])
    guard db.changesCount > 0 else { return false }
    try db.cachedStatement(
      sql: """
        UPDATE run_record SET state = 'cancelled', reason = ?, cancelled_by = ?, cancelled_with = ?, ended_at = max(created_at, ?)
        WHERE number = ? AND state = 'queued'
        """
    ).execute(arguments: [
      runReason(reason), canceller?.who, canceller?.means.rawValue,
      time.microseconds, number,
    ])
    // Occasions that it prevented refer to it as well, and are not changed.
    try db.cachedStatement(sql: "UPDATE occasion SET outcome = ?, reason = ? WHERE run = ? AND outcome = 'run'")
      .execute(arguments: [outcome.rawValue, reason.rawValue, number])
    return true
  }

  /// Returns the recorded reason of a run that ended while it was queued.
  private static func runReason(_ reason: Occasion.Reason) -> String? {
    switch reason {
    case .cancelled: RunReason.cancelledBefore.text
    case .tooLate: RunReason.tooLate.text
    // The run that replaced it says everything.
    default: nil
    }
  }

  private static func add(_ run: QueuedRun, askedAt: RecordTime, in db: Database) throws -> Int64 {
    let number = try RunRows.add(run.record, definition: run.definition, nested: run.nested, in: db)
    try db.cachedStatement(
      sql: "INSERT INTO queue_entry (run, pipeline, queue, priority, asked_at, start_by) VALUES (?, ?, ?, ?, ?, ?)"
    ).execute(arguments: [
      number, run.record.pipeline, run.queue, run.priority, askedAt.microseconds, run.startBy?.microseconds,
    ])
    return number
  }

  static func add(_ occasion: Occasion, run: Int64?, in db: Database) throws {
    // In SQL, so that the row is numbered automatically.
    try db.cachedStatement(
      sql: """
        INSERT INTO occasion (pipeline, cause, controller, instant, asked_at, asked_by, outcome, reason, detail, run)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      occasion.pipeline, occasion.cause.rawValue, occasion.controller, occasion.instant?.microseconds,
      occasion.askedAt.microseconds, occasion.askedBy, occasion.outcome.rawValue, occasion.reason?.rawValue,
      occasion.detail, run,
    ])
    if db.lastInsertedRowID % interval == 0 { try trim(occasion.pipeline, at: occasion.askedAt, in: db) }
  }
}
