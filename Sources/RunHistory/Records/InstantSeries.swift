import Schedules
import Values

/// The instants between two others, at equal intervals.
public enum InstantSeries {
  /// The maximum length of a series.
  public static let longest = 10_000

  /// Returns the instants from `start` on that are not after `end`.
  ///
  /// - Parameters:
  ///   - start: The first instant.
  ///   - end: The last possible instant, included if a step reaches it.
  ///   - step: The interval; greater than zero.
  ///   - zone: The time zone whose calendar whole days follow: midnight stays midnight on days with 23 or 25 hours. Nil for days of 24 hours.
  /// - Returns: The instants in order; nil if there are more than ``longest``.
  public static func instants(
    from start: RecordTime, through end: RecordTime, every step: Duration, zone: TimeZoneRules?
  ) -> [RecordTime]? {
    let microseconds = max(1, step.wholeMicroseconds)
    let (days, rest) = microseconds.quotientAndRemainder(dividingBy: 86_400_000_000)
    var instants: [RecordTime] = []
    var next = start
    while next <= end {
      guard instants.count < longest else { return nil }
      instants.append(next)
      let count = Int64(instants.count)
      let following =
        rest == 0
        ? zone.flatMap { calendarDays(days * count, after: start, in: $0) } ?? next.advanced(by: microseconds)
        : next.advanced(by: microseconds)
      // At the maximum time there is no later one.
      guard following > next else { break }
      next = following
    }
    return instants
  }

  private static func calendarDays(_ days: Int64, after start: RecordTime, in zone: TimeZoneRules) -> RecordTime? {
    let second = Int64(start.secondsSince1970.rounded(.down))
    let time = zone.civilTime(at: second)
    let date = CivilDate(dayNumber: time.date.dayNumber + days)
    return CivilTime(date, hour: time.hour, minute: time.minute, second: time.second).map {
      RecordTime(microseconds: zone.firstInstant(of: $0) * 1_000_000)
        .advanced(by: start.microseconds - second * 1_000_000)
    }
  }
}
