/// The proleptic Gregorian calendar, as arithmetic on days since 1970-01-01.
///
/// `Operations` has the same code in `CivilDay`, because neither module imports the other.
package enum CivilCalendar {
  /// A date in numbers; months and days count from 1, and the year 0 precedes the year 1.
  package typealias Day = (year: Int, month: Int, day: Int)

  /// Returns the number of days from 1970-01-01 to a date.
  @inlinable
  package static func dayNumber(of date: Day) -> Int {
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years start in March, so that the leap day is the last of a year, in
    // eras of 400 years with 146,097 days each. There are 719,468 days between 0000-03-01 and 1970-01-01.
    let shifted = date.month <= 2 ? date.year - 1 : date.year
    let era = floorQuotient(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((date.month + 9) % 12) + 2) / 5 + date.day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns the date `dayNumber` days after 1970-01-01.
  @inlinable
  package static func day(_ dayNumber: Int) -> Day {
    let shifted = dayNumber + 719_468
    let era = floorQuotient(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = (shiftedMonth + 2) % 12 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// Returns the number of days of `month` in `year`.
  @inlinable
  package static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns whether `year` has a February 29.
  @inlinable
  package static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// Returns the quotient rounded down, including for negative numbers.
  @inlinable
  package static func floorQuotient(_ dividend: Int, _ divisor: Int) -> Int {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
