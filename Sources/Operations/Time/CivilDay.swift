/// A day of the Gregorian calendar, which is also applied to the time before it was introduced.
///
/// The calendar is counted a second time in `Values`: this module imports nothing of ours, and that one nothing of this.
package struct CivilDay: Sendable, Hashable {
  /// The year; 0 is the one before 1.
  package let year: Int64
  /// 1 to 12.
  package let month: Int64
  /// From 1.
  package let day: Int64

  /// The day that is `number` days after 1970-01-01.
  package init(number: Int64) {
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years are counted from March, so that the leap day is a year's last, in eras of 400
    // years with 146,097 days each. 719,468 days lie between 0000-03-01 and 1970-01-01.
    let shifted = number + 719_468
    let era = shifted.floored(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from 1970-01-01 to the day of these numbers. A day that the month does not have is counted on from its first.
  package static func number(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted.floored(by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension Int64 {
  /// The quotient rounded down, also for negative numbers.
  package func floored(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
