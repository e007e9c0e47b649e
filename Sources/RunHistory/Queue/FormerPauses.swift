import SQLite
import Workspace

/// The rows of pauses that somebody has ended, and of those that had ended by themselves when another one began: an instant within one of them may be recorded later.
enum FormerPauses {
  /// How many of a pipeline are kept.
  static let kept = 16

  /// Keeps a pause that ended at `end`, in place of the oldest one and of those within which no instant is recorded any more.
  static func add(_ pause: Pause, endedAt end: RecordTime, in db: Database) throws {
    // Nothing lies within it where the clock was set back meanwhile.
    guard pause.since < end else { return }
    try db.cachedStatement(
      sql: "INSERT INTO former_pause (pipeline, since, until, reason, who) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [
      pause.pipeline, pause.since.microseconds, end.microseconds, pause.reason, pause.who,
    ])
    let oldest = try OccasionLedger.oldestRemembered(of: pause.pipeline, in: db)
    // By their numbers: a clock that was wrong for a while says nothing of which is the oldest.
    try db.cachedStatement(
      sql: """
        DELETE FROM former_pause WHERE pipeline = ?1 AND (until <= ?2 OR number < (
          SELECT min(number) FROM (
            SELECT number FROM former_pause WHERE pipeline = ?1 ORDER BY number DESC LIMIT \(kept))))
        """
    ).execute(arguments: [pause.pipeline, oldest?.microseconds])
  }

  /// The latest of those of a pipeline that `instant` is within.
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
