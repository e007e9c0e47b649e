import Schedules
import Values

/// Parses an instant as people write it on a command line.
public enum TimeFilter {
  /// Parses `2h` (that long ago), `yesterday` or `today` (their beginning), `now`, `2026-11-20` (the beginning of that day), `2026-11-20 18:30` (that
  /// minute), or an RFC 3339 timestamp.
  ///
  /// - Parameters:
  ///   - text: The text; surrounding blanks are ignored.
  ///   - now: The reference for durations and days.
  ///   - zone: The time zone of times that specify none; nil for the computer's, which is the default.
  /// - Returns: The instant, or nil if the text has none of these forms.
  public static func parse(_ text: String, now: RecordTime = .now, zone: TimeZoneRules? = nil) -> RecordTime? {
    let text = trimmed(text)
    switch text {
    case "now": return now
    case "today": return startOfDay(daysAgo: 0, now: now, zone: zone)
    case "yesterday": return startOfDay(daysAgo: 1, now: now, zone: zone)
    default: break
    }
    if let seconds = TimestampNotation.parse(text) { return RecordTime(secondsSince1970: seconds) }
    // `2026-11-20`, optionally followed by `T` or a blank and `18:30` or `18:30:05`.
    if let local = CivilTime(text) { return instant(local, known(zone)) }
    guard let ago = DurationNotation.parse(text), ago >= .zero else { return nil }
    let (seconds, attoseconds) = ago.components
    let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : now.advanced(by: -microseconds - attoseconds / 1_000_000_000_000)
  }

  private static func trimmed(_ text: String) -> String {
    let rest = text.drop(while: \.isWhitespace)
    return String(rest.reversed().drop(while: \.isWhitespace).reversed())
  }

  /// Returns the zone, or the computer's; UTC if that cannot be read.
  private static func known(_ zone: TimeZoneRules?) -> TimeZoneRules {
    zone ?? (try? TimeZoneDatabase.system.local()) ?? .utc
  }

  private static func startOfDay(daysAgo: Int64, now: RecordTime, zone: TimeZoneRules?) -> RecordTime? {
    let zone = known(zone)
    let today = zone.civilTime(at: now.microseconds / 1_000_000).date
    // The previous day by the calendar, which has 23 or 25 hours when the clocks are changed.
    return CivilTime(CivilDate(dayNumber: today.dayNumber - daysAgo)).map { instant($0, zone) }
  }

  private static func instant(_ time: CivilTime, _ zone: TimeZoneRules) -> RecordTime {
    RecordTime(secondsSince1970: Double(zone.firstInstant(of: time)))
  }
}
