import RunHistory
import Schedules

/// Parses `--from` of `penstock schedule`, where dates and times without an offset are in a given zone.
enum ScheduleBeginning {
  /// The help text of `--from`.
  static let help =
    "Begin at this time: 2h (ago), today, 2026-11-20, '2026-11-20 18:30' (in the zone), or a timestamp (default: now)"

  /// Returns the first instant to include.
  static func instant(_ from: String?, in rules: TimeZoneRules) throws -> UnixTime {
    let now = UnixTime(RecordTime.now.secondsSince1970.rounded(.down))
    // The current second has already begun, so it is in the past.
    guard let from else { return now + 1 }
    let today = CivilTime(rules.civilTime(at: now).date)
    if from == "today", let today { return rules.firstInstant(of: today) }
    if from == "yesterday", let yesterday = CivilTime(CivilDate(dayNumber: rules.civilTime(at: now).date.dayNumber - 1))
    {
      return rules.firstInstant(of: yesterday)
    }
    if let time = CivilTime(from) { return rules.firstInstant(of: time) }
    guard let time = try FilterOptions.time(from, option: "--from") else { return now + 1 }
    return UnixTime(time.secondsSince1970.rounded(.up))
  }
}
