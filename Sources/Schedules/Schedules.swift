// # Schedules
//
// Computes when something is due: cron lines, time windows and holiday calendars, in the local time of any place. Everything is arithmetic on instants
// that the caller supplies. The module must never read the clock, wait, or know about pipelines and plugins; the only files it reads by itself
// are those of the time zone database.
//
// Read first: ``TimeZoneRules`` (the local time at an instant), ``CronExpression`` (the instants a line names), ``CatchUp`` (which missed
// instants still run).
//
// The folders, from top to bottom; `Cron`, `Windows` and `Calendar` do not use each other:
//
// - `Cron`: cron lines, and the instants they missed.
// - `Windows`: days of the week and hours.
// - `Calendar`: calendar files (iCalendar) and their events.
// - `Zones`: the time zone database, and local time in a zone.
// - `Civil`: dates and times of day, independent of place.

/// Whole seconds since 1970-01-01T00:00:00Z, without leap seconds.
public typealias UnixTime = Int64

extension UnixTime {
  /// 0001-01-01T00:00:00Z, the first instant that is searched.
  static let earliest: UnixTime = -62_135_596_800
  /// 10000-01-01T00:00:00Z, the exclusive end of the range that is searched.
  static let latest: UnixTime = 253_402_300_800
}
