import Values

/// A date of the proleptic Gregorian calendar.
public struct CivilDate: Sendable, Hashable, Comparable {
  /// The year; 0 is the year before 1.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, from 1.
  public let day: Int

  /// Creates a date, or returns nil if the calendar has no such day, such as February 30.
  public init?(year: Int, month: Int, day: Int) {
    guard (-1_000_000...1_000_000).contains(year), (1...12).contains(month),
      day >= 1, day <= Self.length(ofMonth: month, year: year)
    else { return nil }
    self.init(valid: year, month, day)
  }

  private init(valid year: Int, _ month: Int, _ day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the date that is `dayNumber` days after 1970-01-01.
  public init(dayNumber: Int64) {
    let date = CivilCalendar.day(Int(dayNumber))
    self.init(valid: date.year, date.month, date.day)
  }

  /// Days since 1970-01-01.
  public var dayNumber: Int64 { Int64(CivilCalendar.dayNumber(of: (year, month, day))) }

  /// The day of the week.
  public var weekday: Weekday {
    Weekday(dayNumber: dayNumber)
  }

  /// Returns the number of days of `month` in `year`.
  public static func length(ofMonth month: Int, year: Int) -> Int { CivilCalendar.length(ofMonth: month, year: year) }

  /// Returns whether `year` has a February 29.
  public static func isLeap(_ year: Int) -> Bool { CivilCalendar.isLeap(year) }

  /// Orders dates chronologically.
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension CivilDate: CustomStringConvertible {
  /// For example, `2026-03-29`.
  public var description: String {
    "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
  }
}

extension Int64 {
  /// Returns the quotient rounded down, also for negative numbers.
  func floorQuotient(_ divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Int {
  /// Returns the number with leading zeros, to at least `width` digits.
  func padded(_ width: Int) -> String {
    let digits = String(magnitude)
    return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
