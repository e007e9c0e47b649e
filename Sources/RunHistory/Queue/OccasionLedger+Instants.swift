import SQLite
import Workspace

/// Which instants of a pipeline have an occasion already: each starts at most one run.
extension OccasionLedger {
  /// What the ledger contains about an instant.
  enum Memory {
    /// It has no occasion.
    case none
    /// It has an occasion.
    case known
    /// It may have had one, which was deleted since: see ``trim(_:at:in:)``.
    case forgotten
  }

  /// Returns what is known about the instant of an occasion. Occasions of another cause are always new.
  static func memory(of occasion: Occasion, in db: Database) throws -> Memory {
    guard occasion.cause == .instant, let instant = occasion.instant else { return .none }
    return try memory(
      of: instant, of: occasion.pipeline, by: occasion.controller, at: occasion.askedAt, in: db)
  }

  /// Returns what is known about an instant.
  ///
  /// - Parameters:
  ///   - instant: The instant.
  ///   - pipeline: The name of the pipeline.
  ///   - controller: The controller that reports the instant: others may have reported far later ones, of which thousands are kept.
  ///   - time: The current time.
  ///   - db: The database.
  /// - Returns: What is known.
  /// - Throws: The error of the database.
  static func memory(
    of instant: RecordTime, of pipeline: String, by controller: String?, at time: RecordTime, in db: Database
  ) throws -> Memory {
    let isThere = try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT 1 FROM occasion WHERE pipeline = ? AND instant = ? AND cause = 'instant'"),
      arguments: [pipeline, instant.microseconds])
    if isThere != nil { return .known }
    // Usually the instant is the latest one, and nothing older needs to be read.
    let latest = try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT max(instant) FROM occasion WHERE pipeline = ? AND cause = 'instant'"),
      arguments: [pipeline])
    guard let latest, instant.microseconds < latest else { return .none }
    // Of the occasions that may be deleted, the one with the latest instant of each controller is kept.
    let old = "pipeline = ?1 AND controller IS ?2 AND cause = 'instant' AND \(hasNoRun)"
    let byNumber = try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT max(instant) FROM occasion INDEXED BY occasion_by_pipeline WHERE \(old) AND number < ?3"),
      arguments: [pipeline, controller, try firstKept(of: pipeline, in: db)])
    if let byNumber, instant.microseconds < byNumber { return .forgotten }
    // An instant is hardly ever reported before it has come, so the index finds these as well.
    let byAge = try Int64.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT instant FROM occasion INDEXED BY occasion_by_instant WHERE \(old) AND instant < ?3 AND asked_at < ?3
          ORDER BY instant DESC LIMIT 1
          """),
      arguments: [pipeline, controller, time.microseconds - keptFor])
    return byAge.map { instant.microseconds < $0 } ?? false ? .forgotten : .none
  }

  /// Whether the instant of an occasion has no occasion yet. If it may have had one, that is recorded.
  static func isNew(_ occasion: Occasion, in db: Database) throws -> Bool {
    switch try memory(of: occasion, in: db) {
    case .none: return true
    case .known: return false
    case .forgotten:
      _ = try refuseForgotten(occasion, in: db)
      return false
    }
  }

  /// Records that there is no run for an instant because it may have had one, and returns the reason.
  static func refuseForgotten(_ occasion: Occasion, in db: Database) throws -> Occasion.Reason {
    var refused = occasion
    (refused.outcome, refused.reason) = (.skipped, .duplicate)
    refused.detail = Occasion.forgotten
    try add(refused, run: nil, in: db)
    return .duplicate
  }

  /// Records that an instant has a run, whose number is not known yet. Returns false if the instant was already known, or, if a controller asks, may have
  /// been. A person may ask for any instant.
  static func claim(
    _ instant: RecordTime, of pipeline: String, by controller: String?, at time: RecordTime, in db: Database
  ) throws -> Bool {
    let occasion = Occasion(
      pipeline: pipeline, cause: .instant, controller: controller, instant: instant, askedAt: time)
    guard try controller == nil ? memory(of: occasion, in: db) != .known : isNew(occasion, in: db) else { return false }
    try add(occasion, run: nil, in: db)
    return true
  }
}

/// Deleting old occasions.
extension OccasionLedger {
  /// Occasions without a run of their own: those of runs that were deleted, and those that refer to the run that prevented them.
  private static let hasNoRun = "(run IS NULL OR outcome = 'skipped' AND reason = 'overlap')"

  /// Returns the number of the first of the latest occasions of a pipeline, which are kept even if they have no run; 0 if there are fewer.
  private static func firstKept(of pipeline: String, in db: Database) throws -> Int64 {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT number FROM occasion WHERE pipeline = ? ORDER BY number DESC LIMIT 1 OFFSET \(remembered - 1)"),
      arguments: [pipeline]) ?? 0
  }

  /// Deletes the same of all pipelines, of which some may have no occasions any more.
  static func trimAll(at time: RecordTime, in db: Database) throws {
    let pipelines = try String.fetchAll(db.cachedStatement(sql: "SELECT DISTINCT pipeline FROM occasion"))
    for pipeline in pipelines { try trim(pipeline, at: time, in: db) }
  }

  /// Deletes occasions of a pipeline without a run of their own: old ones, and all but the latest. For each controller, the one with the latest instant
  /// among them is kept, so that an instant before it is not taken for a new one.
  static func trim(_ pipeline: String, at time: RecordTime, in db: Database) throws {
    let old = "pipeline = ?1 AND (number < ?2 OR asked_at < ?3) AND \(hasNoRun)"
    try db.execute(
      sql: """
        DELETE FROM occasion WHERE \(old) AND number NOT IN (
          SELECT number FROM (
            SELECT number, max(instant) FROM occasion WHERE \(old) AND cause = 'instant' GROUP BY controller))
        """, arguments: [pipeline, try firstKept(of: pipeline, in: db), time.microseconds - keptFor])
  }
}
