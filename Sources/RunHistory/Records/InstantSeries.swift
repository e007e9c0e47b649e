import Schedules
import Values

/// The instants between two others, in equal steps.
public enum InstantSeries {
  /// No series is longer.
  public static let longest = 10_000

  /// The instants from `start` on that are not after `end`.
  ///
  /// - Parameters:
  ///   - start: The first of them.
  ///   - end: One that a step reaches is the last of them.
  ///   - step: How far apart they are; greater than zero.
  ///   - zone: Whose calendar whole days go by: midnight stays midnight where a day has 23 or 25 hours. Nil for days of 24 hours.
  /// - Returns: The instants in their order; nil where there are more than ``longest``.
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
      // At the end of all time there is no later one.
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
