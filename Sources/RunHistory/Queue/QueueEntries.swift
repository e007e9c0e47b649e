import SQLite
import Workspace

/// The queue entries of runs, and the claiming of a queued run by one process. All functions require a write transaction.
enum QueueEntries {
  /// Makes `owner` the process of queued runs without one, and returns what it needs to begin them.
  static func own(
    _ taken: [QueueTurns.Candidate], by owner: ProcessIdentity, on host: String, in db: Database
  ) throws -> [QueueTurns.Taken] {
    try taken.compactMap { candidate in
      let number = candidate.run
      try db.cachedStatement(
        sql: """
          UPDATE run_record SET boot = ?, pid = ?, process_started = ?, host = ?, fence = coalesce(fence, 0) + 1
          WHERE number = ?
          """
      ).execute(arguments: [owner.boot, owner.pid, owner.started, host, number])
      guard let run = try RunRows.all(StoredRun.number == number, in: db).first else {
        try remove(number, in: db)
        return nil
      }
      let startBy = try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT start_by FROM queue_entry WHERE run = ? AND start_by IS NOT NULL"),
        arguments: [number])
      return QueueTurns.Taken(
        run: run.record, number: number, queue: candidate.place.queue,
        startBy: startBy.map(RecordTime.init(microseconds:)),
        definition: try StoredDefinition.text(of: run.record.definitionHash, in: db) ?? "",
        nested: try NestedDefinitions.of(run.record.id, in: db))
    }
  }

  /// Returns a run whose process ended before the run began to its place in the queue. Returns false if it was not queued, or has begun.
  static func giveBack(_ run: RunRows.Numbered, in db: Database) throws -> Bool {
    guard run.record.state == .queued, run.record.startedAt == nil else { return false }
    try db.cachedStatement(sql: "UPDATE queue_entry SET taken_at = NULL WHERE run = ?").execute(arguments: [run.number])
    guard db.changesCount > 0 else { return false }
    let nobody = ProcessIdentity.nobody
    try db.cachedStatement(
      sql: """
        UPDATE run_record SET reason = NULL, boot = ?, pid = ?, process_started = ?, fence = coalesce(fence, 0) + 1
        WHERE number = ?
        """
    ).execute(arguments: [nobody.boot, nobody.pid, nobody.started, run.number])
    // The dead host had been requested to end it, but did not do so.
    if let asked = try StoredRequest.cancellation(ofRunNumber: run.number, in: db) {
      let canceller = RunCanceller(who: asked.who, means: asked.means)
      let end = OccasionLedger.cancelled(by: canceller)
      _ = try OccasionLedger.endQueued(
        run.number, canceller: canceller, outcome: end.outcome, reason: end.reason,
        at: RecordTime(microseconds: asked.requestedAt), in: db)
    }
    return true
  }

  /// Removes the entry of a run that has begun or ended.
  static func remove(_ run: Int64, in db: Database) throws {
    try db.cachedStatement(sql: "DELETE FROM queue_entry WHERE run = ?").execute(arguments: [run])
  }
}
