import SQLite
import Workspace

/// Occasions whose run was queued, and does not begin.
extension OccasionLedger {
  /// A run has been cancelled that had not begun, though its host had taken it: its occasion is one without a run, as if it had been queued until then.
  static func endTaken(_ number: Int64, reason: String, canceller: RunCanceller?, in db: Database) throws {
    let end: (outcome: Occasion.Outcome, reason: Occasion.Reason)
    if let other = RunReason.overlap(in: reason) { return try giveWay(number, to: other, in: db) }
    switch reason {
    case RunReason.tooLate.text: end = (.skipped, .tooLate)
    case RunReason.cancelledBefore.text: end = cancelled(by: canceller)
    default: return
    }
    try db.cachedStatement(sql: "UPDATE occasion SET outcome = ?, reason = ? WHERE run = ? AND outcome = 'run'")
      .execute(arguments: [end.outcome.rawValue, end.reason.rawValue, number])
  }

  /// What comes of an occasion whose run is cancelled before it begins.
  static func cancelled(by canceller: RunCanceller?) -> (outcome: Occasion.Outcome, reason: Occasion.Reason) {
    canceller?.means == .overlap ? (.replaced, .overlap) : (.skipped, .cancelled)
  }

  /// Ends runs that are queued and should have begun by now, and returns them. Those that a host has taken, it leaves out itself: only it knows whether they have begun.
  static func leaveOutLate(at time: RecordTime, in db: Database) throws -> [LateRun] {
    let late = try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT run, pipeline FROM queue_entry WHERE start_by IS NOT NULL AND taken_at IS NULL AND start_by < ?"),
      arguments: [time.microseconds]
    ).map { ($0[0] as Int64, $0[1] as String) }
    return try late.compactMap { number, pipeline in
      try endQueued(number, canceller: nil, outcome: .skipped, reason: .tooLate, at: time, in: db)
      return try id(of: number, in: db).map { LateRun(run: $0, pipeline: pipeline) }
    }
  }

  /// The occasion of a run that another one was in the way of is one without a run, as that of any other which is skipped for `overlap`.
  static func giveWay(_ number: Int64, to other: RunID, in db: Database) throws {
    try db.cachedStatement(
      sql: """
        UPDATE occasion SET outcome = 'skipped', reason = 'overlap', run = (SELECT number FROM run_record WHERE id = ?)
        WHERE run = ? AND outcome = 'run'
        """
    ).execute(arguments: [other.text, number])
  }
}
