import RunHistory
import Schedules

/// What `--from` of `penstock schedule` means, where days and times without an offset are those of a zone.
enum ScheduleBeginning {
  /// What the help says of it.
  static let help =
    "Begin then: 2h (ago), today, 2026-11-20, '2026-11-20 18:30' (in the zone) or a timestamp; now otherwise."

  /// The first instant that counts.
  static func instant(_ from: String?, in rules: TimeZoneRules) throws -> UnixTime {
    let now = UnixTime(RecordTime.now.secondsSince1970.rounded(.down))
    // The second that has begun is past.
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
