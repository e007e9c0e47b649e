/// A day of the week, numbered as in cron lines: Sunday is 0.
public enum Weekday: Int, Sendable, Hashable, CaseIterable {
  case sunday, monday, tuesday, wednesday, thursday, friday, saturday

  /// Creates the weekday of the day that is `dayNumber` days after 1970-01-01.
  public init(dayNumber: Int64) {
    // 1970-01-01 was a Thursday.
    let number = dayNumber + 4
    self = Self.allCases[Int(number - number.floorQuotient(7) * 7)]
  }

  /// The English name, such as `Monday`.
  public var name: String {
    switch self {
    case .sunday: "Sunday"
    case .monday: "Monday"
    case .tuesday: "Tuesday"
    case .wednesday: "Wednesday"
    case .thursday: "Thursday"
    case .friday: "Friday"
    case .saturday: "Saturday"
    }
  }
}
