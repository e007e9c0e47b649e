import SQLite
import Workspace

/// The rows of pauses that a user has ended, and of those that had expired when another one began: an instant within one of them may be recorded later.
enum FormerPauses {
  /// The number that is kept for each pipeline.
  static let kept = 16

  /// Keeps a pause that ended at `end`. Deletes the oldest one if there are too many.
  static func add(_ pause: Pause, endedAt end: RecordTime, in db: Database) throws {
    // The pause is empty if the clock was set back meanwhile.
    guard pause.since < end else { return }
    try db.cachedStatement(
      sql: "INSERT INTO former_pause (pipeline, since, until, reason, who) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [
      pause.pipeline, pause.since.microseconds, end.microseconds, pause.reason, pause.who,
    ])
    // Sorted by number, because the clock may have been wrong for a while.
    try db.cachedStatement(
      sql: """
        DELETE FROM former_pause WHERE pipeline = ?1 AND number < (
          SELECT min(number) FROM (
            SELECT number FROM former_pause WHERE pipeline = ?1 ORDER BY number DESC LIMIT \(kept)))
        """
    ).execute(arguments: [pause.pipeline])
  }

  /// The latest pause of a pipeline that contains `instant`.
  static func containing(_ instant: RecordTime, of pipeline: String, in db: Database) throws -> Pause? {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT since, until, reason, who FROM former_pause WHERE pipeline = ?1 AND since <= ?2 AND until > ?2
          ORDER BY number DESC LIMIT 1
          """), arguments: [pipeline, instant.microseconds])
    return row.map { row in
      Pause(
        pipeline: pipeline, until: RecordTime(microseconds: row[1]), reason: row[2], who: row[3],
        since: RecordTime(microseconds: row[0]))
    }
  }
}
