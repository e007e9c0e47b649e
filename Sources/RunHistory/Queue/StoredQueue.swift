import SQLite
import Workspace

/// The queue of a workspace, for a host that takes runs from it. Requires a write transaction.
struct StoredQueue: QueuedRuns {
  let db: Database
  let time: RecordTime
  /// How many pipelines keep their latest turn. Without one, a pipeline goes before those that have one.
  private static let mostTurns = 100_000

  func queue(after name: String?) throws -> String? {
    try String.fetchOne(
      db.cachedStatement(
        sql: "SELECT queue FROM queue_entry WHERE taken_at IS NULL AND queue > ? ORDER BY queue LIMIT 1"),
      arguments: [name ?? ""])
  }

  func priority(in queue: String, below limit: Int64) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT max(priority) FROM queue_entry WHERE taken_at IS NULL AND queue = ? AND priority < ?"),
      arguments: [queue, limit])
  }

  func latest(in place: QueueTurns.Class) throws -> String? {
    try String.fetchOne(
      db.cachedStatement(sql: "SELECT pipeline FROM queue_turn WHERE queue = ? AND priority = ?"),
      arguments: [place.queue, place.priority])
  }

  func turn(of pipeline: String, priority: Int64) throws -> Int64 {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT turn FROM pipeline_turn WHERE pipeline = ? AND priority = ?"),
      arguments: [pipeline, priority]) ?? 0
  }

  func first(in place: QueueTurns.Class, after name: String, upTo end: String?) throws -> QueueTurns.Candidate? {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT pipeline, run FROM queue_entry WHERE taken_at IS NULL AND queue = ?1 AND priority = ?2 AND pipeline > ?3
            AND (?4 IS NULL OR pipeline <= ?4)
          ORDER BY pipeline, run LIMIT 1
          """), arguments: [place.queue, place.priority, name, end])
    return row.map { QueueTurns.Candidate(run: $0[1], pipeline: $0[0], place: place) }
  }

  func take(_ candidate: QueueTurns.Candidate) throws {
    try db.cachedStatement(sql: "UPDATE queue_entry SET taken_at = ? WHERE run = ?")
      .execute(arguments: [time.microseconds, candidate.run])
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO queue_turn (queue, priority, pipeline) VALUES (?, ?, ?)")
      .execute(arguments: [candidate.place.queue, candidate.place.priority, candidate.pipeline])
    try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO pipeline_turn (pipeline, priority, turn)
        VALUES (?, ?, 1 + ifnull((SELECT max(turn) FROM pipeline_turn), 0))
        """
    ).execute(arguments: [candidate.pipeline, candidate.place.priority])
  }

  /// Deletes the turns of the pipelines whose latest ones are the longest ago, beyond those that are kept.
  func trimTurns() throws {
    try db.cachedStatement(
      sql: """
        DELETE FROM pipeline_turn
        WHERE turn <= (SELECT turn FROM pipeline_turn ORDER BY turn DESC LIMIT 1 OFFSET ?)
        """
    ).execute(arguments: [Self.mostTurns])
  }
}
