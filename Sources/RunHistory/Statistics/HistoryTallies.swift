import SQLite
import Values
import Workspace

/// The daily roll-up from which statistics over long periods are read: one row for each pipeline and each day (UTC) on which a run of it was created.
///
/// A day that is over and whose runs have ended is counted once, when statistics are first requested, and never by the engine, so it costs runs
/// nothing. Any change of a run, by whatever program, clears the row of its day in the same transaction, by a trigger; an import, `prune`, or a
/// `resume` of an old run can therefore not leave wrong figures. For a cleared row, the records are read individually.
enum HistoryTallies {
  /// The microseconds of a day.
  static let day: Int64 = 86_400_000_000

  /// Returns the days before `today` that have not been counted.
  static func missingDays(before today: Int64, in db: Database) throws -> [Int64] {
    try Int64.fetchAll(
      // A run before 1970 is not genuine, and no statistics include its day.
      db, sql: "SELECT DISTINCT day FROM daily_tally WHERE tally IS NULL AND day BETWEEN 0 AND ? ORDER BY day",
      arguments: [today - 1])
  }

  /// Counts one day, for the pipelines whose runs have all ended. Requires a write transaction.
  static func count(day: Int64, in db: Database) throws {
    let pipelines = try String.fetchAll(
      db, sql: "SELECT pipeline FROM daily_tally WHERE day = ? AND tally IS NULL", arguments: [day])
    let span = day * Self.day..<(day + 1) * Self.day
    let scan = RecordScan(span: span, pipelines: pipelines)
    let found = try scan.run(in: db, slice: { _ in 0 })
    for pipeline in pipelines where !scan.unfinished.contains(pipeline) {
      guard let series = found[pipeline] else {
        // Its last run has been pruned.
        try db.execute(
          sql: "DELETE FROM daily_tally WHERE day = ? AND pipeline = ?", arguments: [day, pipeline])
        continue
      }
      var tallies: [String: DurationTally] = [:]
      for (operation, slices) in series { tallies[operation] = slices.reduce(into: DurationTally()) { $0.add($1) } }
      try db.execute(
        sql: "UPDATE daily_tally SET tally = ? WHERE day = ? AND pipeline = ?",
        arguments: [TallyCoding.encode(tallies), day, pipeline])
    }
  }
}

extension History {
  /// Counts the days that are over, so that statistics over them are read from a few rows. Returns how many days were examined.
  ///
  /// Results do not depend on this, only how fast they are available. Does nothing in a read-only workspace. Each day is a separate transaction, so
  /// that other writers need not wait long.
  @discardableResult
  public func tallyPastDays(now: RecordTime = .now) throws(WorkspaceError) -> Int {
    let today = now.microseconds / HistoryTallies.day
    guard !workspace.isReadOnly else { return 0 }
    let days = try read { try HistoryTallies.missingDays(before: today, in: $0) }
    for day in days { try write { try HistoryTallies.count(day: day, in: $0) } }
    return days.count
  }
}
