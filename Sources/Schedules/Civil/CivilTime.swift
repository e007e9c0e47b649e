/// A date and a time of day, as a calendar and a wall clock show them, independent of place.
public struct CivilTime: Sendable, Hashable, Comparable {
  /// The number of seconds since 1970-01-01T00:00:00, as if no clock were ever changed.
  let localSeconds: Int64

  init(localSeconds: Int64) {
    self.localSeconds = localSeconds
  }

  /// Creates a time, or returns nil if there is no such time, such as 24:00.
  public init?(_ date: CivilDate, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else { return nil }
    localSeconds = date.dayNumber * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// Parses `2026-03-29` (midnight), `2026-03-29 03:00` or `2026-03-29T03:00:15`.
  public init?(_ text: String) {
    let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
    guard let day = Self.numbers(halves[0], separator: "-", widths: [4, 2, 2]),
      let date = CivilDate(year: day[0], month: day[1], day: day[2])
    else { return nil }
    var time = [0, 0, 0]
    if halves.count == 2 {
      guard
        let numbers = Self.numbers(halves[1], separator: ":", widths: [2, 2, 2])
          ?? Self.numbers(halves[1], separator: ":", widths: [2, 2])
      else { return nil }
      time.replaceSubrange(0..<numbers.count, with: numbers)
    }
    self.init(date, hour: time[0], minute: time[1], second: time[2])
  }

  private static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == widths, parts.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }) else { return nil }
    return parts.compactMap { Int($0) }
  }

  /// Days since 1970-01-01.
  var dayNumber: Int64 { localSeconds.floorQuotient(86_400) }

  /// Seconds since midnight, from 0 to 86,399.
  public var secondOfDay: Int { Int(localSeconds - dayNumber * 86_400) }

  /// The date.
  public var date: CivilDate { CivilDate(dayNumber: dayNumber) }
  /// The day of the week.
  public var weekday: Weekday { Weekday(dayNumber: dayNumber) }
  /// 0 to 23.
  public var hour: Int { secondOfDay / 3600 }
  /// 0 to 59.
  public var minute: Int { secondOfDay / 60 % 60 }
  /// 0 to 59.
  public var second: Int { secondOfDay % 60 }

  /// Orders times chronologically.
  public static func < (left: CivilTime, right: CivilTime) -> Bool {
    left.localSeconds < right.localSeconds
  }
}

extension CivilTime: CustomStringConvertible {
  /// For example, `2026-03-29T03:00:00`.
  public var description: String {
    "\(date)T\(hour.padded(2)):\(minute.padded(2)):\(second.padded(2))"
  }
}
