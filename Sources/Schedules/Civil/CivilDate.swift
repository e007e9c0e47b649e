/// A day of the Gregorian calendar, which is also applied to the time before it was introduced.
public struct CivilDate: Sendable, Hashable, Comparable {
  /// The year; 0 is the one before 1.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to the length of the month.
  public let day: Int

  /// The day, or nil where the calendar has none such, as on February 30.
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

  /// The day that is `dayNumber` days after 1970-01-01.
  public init(dayNumber: Int64) {
    // Years are counted from March, so that the leap day is a year's last, in eras of 400 years with 146,097 days each.
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    let shifted = dayNumber + 719_468
    let era = shifted.floorQuotient(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = Int((shiftedMonth + 2) % 12) + 1
    self.init(
      valid: Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month,
      Int(dayOfYear - (153 * shiftedMonth + 2) / 5) + 1)
  }

  /// Days since 1970-01-01.
  public var dayNumber: Int64 {
    let shifted = Int64(month <= 2 ? year - 1 : year)
    let era = shifted.floorQuotient(400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The day of the week.
  public var weekday: Weekday {
    Weekday(dayNumber: dayNumber)
  }

  /// How many days `month` has in `year`.
  public static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Whether `year` has a February 29.
  public static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The earlier day is the lesser.
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension CivilDate: CustomStringConvertible {
  /// As in `2026-03-29`.
  public var description: String {
    "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
  }
}

extension Int64 {
  /// The quotient rounded down, also for negative numbers.
  func floorQuotient(_ divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Int {
  /// The number with zeros before it, at least `width` digits.
  func padded(_ width: Int) -> String {
    let digits = String(magnitude)
    return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
