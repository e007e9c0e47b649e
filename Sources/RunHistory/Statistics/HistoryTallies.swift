import SQLite
import Values
import Workspace

/// The roll-up by day that statistics over long times are read from: one row for each pipeline and each day (UTC) on which a run of
/// it was created.
///
/// A day that is over and whose runs have ended is counted once, by whoever asks for statistics first, and never by the engine: what
/// runs pays nothing for it. Any change of a run, by whatever program, empties the row of its day in the same transaction, by a
/// trigger; so an import, `prune`, or a `resume` of an old run cannot leave a wrong figure. A row that is empty stands for records that
/// are read one by one.
enum HistoryTallies {
  /// Microseconds of a day.
  static let day: Int64 = 86_400_000_000

  /// The days before `today` that have not been counted.
  static func missingDays(before today: Int64, in db: Database) throws -> [Int64] {
    try Int64.fetchAll(
      // A run before 1970 is none of ours, and no statistics ask for its day.
      db, sql: "SELECT DISTINCT day FROM daily_tally WHERE tally IS NULL AND day BETWEEN 0 AND ? ORDER BY day",
      arguments: [today - 1])
  }

  /// Counts one day, as far as the runs of it have ended. Needs a write transaction.
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
  /// Counts the days that are over, so that statistics over them are read from a few rows. Returns how many days were looked at.
  ///
  /// Nothing that is answered depends on it, but how soon. It does nothing in a workspace that is read-only. Each day is a transaction of its
  /// own, so that other writers are not kept waiting.
  @discardableResult
  public func tallyPastDays(now: RecordTime = .now) throws(WorkspaceError) -> Int {
    let today = now.microseconds / HistoryTallies.day
    guard !workspace.isReadOnly else { return 0 }
    let days = try read { try HistoryTallies.missingDays(before: today, in: $0) }
    for day in days { try write { try HistoryTallies.count(day: day, in: $0) } }
    return days.count
  }
}
