import SQLite
import Workspace

/// Occasions whose run was queued but does not begin.
extension OccasionLedger {
  /// Records that a run was cancelled before it began, although its host had claimed it: its occasion then has no run, as if the run had been queued
  /// until then.
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

  /// Returns the outcome of an occasion whose run is cancelled before it begins.
  static func cancelled(by canceller: RunCanceller?) -> (outcome: Occasion.Outcome, reason: Occasion.Reason) {
    canceller?.means == .overlap ? (.replaced, .overlap) : (.skipped, .cancelled)
  }

  /// Ends queued runs that should have begun by now, and returns them. Runs that a host has claimed are skipped by that host, which alone knows
  /// whether they have begun.
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

  /// Records that the occasion of a run that gave way to another one has no run, like any other that is skipped because of `overlap`.
  static func giveWay(_ number: Int64, to other: RunID, in db: Database) throws {
    try db.cachedStatement(
      sql: """
        UPDATE occasion SET outcome = 'skipped', reason = 'overlap', run = (SELECT number FROM run_record WHERE id = ?)
        WHERE run = ? AND outcome = 'run'
        """
    ).execute(arguments: [other.text, number])
  }
}
