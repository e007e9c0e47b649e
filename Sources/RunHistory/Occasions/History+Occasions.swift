import SQLite
import Workspace

/// Which occasions are asked for. Created without values, it asks for all.
public struct OccasionFilter: Sendable, Hashable {
  /// Only those of a pipeline of that name or pattern.
  public var pipeline: String?
  /// Only those that somebody heard of at or after it.
  public var since: RecordTime?
  /// Only those that somebody heard of before it.
  public var until: RecordTime?
  /// Only those that no run came of.
  public var isSkipped = false
  /// At most so many, the latest ones. Default nil, for all.
  public var limit: Int?

  /// A filter for all occasions.
  public init() {}
}

extension History {
  /// Occasions, the latest first.
  public func occasions(_ filter: OccasionFilter = OccasionFilter()) throws(WorkspaceError) -> [Occasion] {
    try read { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT o.pipeline, o.cause, o.controller, o.instant, o.asked_at, o.asked_by,
              CASE WHEN o.outcome = 'run' AND q.run IS NOT NULL THEN 'queued' ELSE o.outcome END,
              o.reason, o.detail, r.id,
              CASE WHEN o.outcome = 'run' THEN (r.started_at - ifnull(o.instant, o.asked_at)) / 1000.0 END
            FROM occasion o LEFT JOIN run_record r ON r.number = o.run LEFT JOIN queue_entry q ON q.run = o.run
            WHERE (?1 IS NULL OR o.pipeline GLOB ?1) AND (?2 IS NULL OR o.asked_at >= ?2)
              AND (?3 IS NULL OR o.asked_at < ?3) AND (NOT ?4 OR o.outcome NOT IN ('run', 'queued'))
            ORDER BY o.number DESC LIMIT ?5
            """),
        arguments: [
          filter.pipeline, filter.since?.microseconds, filter.until?.microseconds, filter.isSkipped ? 1 : 0,
          filter.limit ?? -1,
        ])
      return rows.compactMap(Self.occasion)
    }
  }

  /// Nil for words that this version does not know.
  private static func occasion(_ row: Row) -> Occasion? {
    guard let cause = Occasion.Cause(rawValue: row[1]), let outcome = Occasion.Outcome(rawValue: row[6]) else {
      return nil
    }
    var occasion = Occasion(
      pipeline: row[0], cause: cause, controller: row[2],
      instant: (row[3] as Int64?).map(RecordTime.init(microseconds:)), askedAt: RecordTime(microseconds: row[4]),
      askedBy: row[5], detail: row[8])
    occasion.outcome = outcome
    occasion.reason = (row[7] as String?).flatMap { Occasion.Reason(rawValue: $0) }
    occasion.run = (row[9] as String?).flatMap { RunID($0) }
    occasion.lateMilliseconds = row[10]
    return occasion
  }
}
