/// What a calendar and a clock on the wall show: a day and a time of day, of no particular place.
public struct CivilTime: Sendable, Hashable, Comparable {
  /// The seconds that would lie between 1970-01-01T00:00:00 and it if no clock was ever changed.
  let localSeconds: Int64

  init(localSeconds: Int64) {
    self.localSeconds = localSeconds
  }

  /// The time, or nil where there is none such, as at 24:00.
  public init?(_ date: CivilDate, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else { return nil }
    localSeconds = date.dayNumber * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// Days since 1970-01-01.
  var dayNumber: Int64 { localSeconds.floorQuotient(86_400) }

  /// Seconds since midnight, from 0 to 86,399.
  public var secondOfDay: Int { Int(localSeconds - dayNumber * 86_400) }

  /// The day.
  public var date: CivilDate { CivilDate(dayNumber: dayNumber) }
  /// The day of the week.
  public var weekday: Weekday { Weekday(dayNumber: dayNumber) }
  /// 0 to 23.
  public var hour: Int { secondOfDay / 3600 }
  /// 0 to 59.
  public var minute: Int { secondOfDay / 60 % 60 }
  /// 0 to 59.
  public var second: Int { secondOfDay % 60 }

  /// The earlier time is the lesser.
  public static func < (left: CivilTime, right: CivilTime) -> Bool {
    left.localSeconds < right.localSeconds
  }
}

extension CivilTime: CustomStringConvertible {
  /// As in `2026-03-29T03:00:00`.
  public var description: String {
    "\(date)T\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))"
  }
}
