import SQLite
import Workspace

/// Selects occasions. A filter created without values selects all.
public struct OccasionFilter: Sendable, Hashable {
  /// Only those of pipelines with that name or pattern.
  public var pipeline: String?
  /// Only those that a host or a command learned of at or after it.
  public var since: RecordTime?
  /// Only those that a host or a command learned of before it.
  public var until: RecordTime?
  /// Only those without a run.
  public var isSkipped = false
  /// Only those whose run has all of these labels, or whose pipeline has them if there is no run.
  public var labels: [RunLabel] = []
  /// The maximum number, the latest ones. Default nil, for all.
  public var limit: Int?

  /// Creates a filter for all occasions.
  public init() {}
}

extension History {
  /// Returns occasions, the latest first: by their instants, or if they have none, by when a host or a command learned of them.
  public func occasions(_ filter: OccasionFilter = OccasionFilter()) throws(WorkspaceError) -> [Occasion] {
    guard filter.limit != 0 else { return [] }
    return try read { db in
      let rows = try Row.fetchCursor(
        db.cachedStatement(
          sql: """
            SELECT o.pipeline, o.cause, o.controller, o.instant, o.asked_at, o.asked_by,
              CASE WHEN o.outcome = 'run' AND q.run IS NOT NULL THEN 'queued' ELSE o.outcome END,
              o.reason, o.detail, r.id,
              CASE WHEN o.outcome = 'run' THEN (r.started_at - ifnull(o.instant, o.asked_at)) / 1000.0 END
            FROM occasion o LEFT JOIN run_record r ON r.number = o.run LEFT JOIN queue_entry q ON q.run = o.run
              LEFT JOIN pipeline_record p ON p.name = o.pipeline
            WHERE (?1 IS NULL OR o.pipeline GLOB ?1) AND (?2 IS NULL OR o.asked_at >= ?2)
              AND (?3 IS NULL OR o.asked_at < ?3) AND (NOT ?4 OR o.outcome NOT IN ('run', 'queued'))
              AND \([RunLabel].condition("?5", on: "CASE WHEN r.number IS NULL THEN p.labels ELSE r.labels END"))
            ORDER BY o.number DESC
            """),
        arguments: [
          filter.pipeline, filter.since?.microseconds, filter.until?.microseconds, filter.isSkipped ? 1 : 0,
          filter.labels.argument,
        ])
      var latest = LatestOccasions(limit: filter.limit)
      while let row = try rows.next(), latest.mayTake(heardOf: row[4]) {
        if let occasion = Self.occasion(row) { latest.take(occasion) }
      }
      return latest.occasions
    }
  }

  /// Returns the latest known instant of a pipeline, which is in the future if the clock was set back, or nil if there is none.
  package func latestInstant(of pipeline: String) throws(WorkspaceError) -> RecordTime? {
    try read { db in
      try Int64.fetchOne(
        db.cachedStatement(sql: "SELECT max(instant) FROM occasion WHERE pipeline = ? AND cause = 'instant'"),
        arguments: [pipeline]
      ).map(RecordTime.init(microseconds:))
    }
  }

  /// Whether an instant of a pipeline is already known, or may have been, so that it starts nothing more if `controller` reports it.
  package func hasComeUp(
    _ instant: RecordTime, of pipeline: String, by controller: String?, at time: RecordTime
  ) throws(WorkspaceError) -> Bool {
    try read { db in
      try OccasionLedger.memory(of: instant, of: pipeline, by: controller, at: time, in: db) != .none
    }
  }

  /// Deletes occasions without a run that are older than 90 days, and of each pipeline all but the latest 10,000. Recording deletes some of them as
  /// well, but only of a pipeline that has others. The latest such instant of each controller is kept. Also deletes all but the latest turns in the queue.
  package func trimOccasions(at time: RecordTime) throws(WorkspaceError) {
    try write { db in
      try OccasionLedger.trimAll(at: time, in: db)
      try StoredQueue(db: db, time: time).trimTurns()
    }
  }

  /// Returns nil for words that are unknown to this version.
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

/// Collects the latest occasions, ordered by time. They are added in the order in which they were recorded, the latest first, but an instant of days
/// ago may have been recorded just now.
private struct LatestOccasions {
  let limit: Int?
  private(set) var occasions: [Occasion] = []

  /// Whether an occasion learned of at that time could be among the latest. Its own time is never later than that.
  func mayTake(heardOf time: Int64) -> Bool {
    guard let limit, occasions.count >= limit, let last = occasions.last else { return true }
    return time >= last.time.microseconds
  }

  mutating func take(_ occasion: Occasion) {
    // Of two with the same time, the one recorded later comes first.
    var (low, high) = (0, occasions.count)
    while low < high {
      let middle = (low + high) / 2
      if occasions[middle].time < occasion.time { high = middle } else { low = middle + 1 }
    }
    guard low < limit ?? .max else { return }
    occasions.insert(occasion, at: low)
    if let limit, occasions.count > limit { occasions.removeLast() }
  }
}
