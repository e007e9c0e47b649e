// # Schedules
//
// When something is due: cron lines, time windows and calendars of holidays, in the time of any place. All of it is arithmetic on
// instants that the caller gives. It must never know what time it is, wait, or know of pipelines and plugins; the only thing
// that is read from outside are the files of the time zone database.
//
// Read first: ``TimeZoneRules`` (which local time an instant has), ``CronExpression`` (which instants a line means), ``CatchUp``
// (which of the missed ones are made up for).
//
// The folders, from top to bottom; `Cron`, `Windows` and `Calendar` do not use each other:
//
// - `Cron`: cron lines, and what they have missed.
// - `Windows`: days of the week and hours.
// - `Calendar`: files of calendars (iCalendar), and the events in them.
// - `Zones`: the time zone database, and local time in a zone.
// - `Civil`: days and times of day, of no particular place.

/// Whole seconds since 1970-01-01T00:00:00Z, without leap seconds.
public typealias UnixTime = Int64

extension UnixTime {
  /// 0001-01-01T00:00:00Z, the first instant that is searched.
  static let earliest: UnixTime = -62_135_596_800
  /// 10000-01-01T00:00:00Z, the first instant that is not searched any more.
  static let latest: UnixTime = 253_402_300_800
}
