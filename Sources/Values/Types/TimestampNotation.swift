/// Instants as RFC 3339 writes them: `2026-03-29T02:30:00.250+01:00`.
public enum TimestampNotation {
  /// The seconds between the beginning of 1970 in UTC and the instant `text`; nil where it is none.
  ///
  /// A space or `t` may stand for `T`, and `z` for `Z`; the offset is required. A leap second counts as the second after it.
  public static func parse(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[10]),
      let year = number(bytes, 0..<4), let month = number(bytes, 5..<7), let day = number(bytes, 8..<10),
      let hour = number(bytes, 11..<13), let minute = number(bytes, 14..<16), let second = number(bytes, 17..<19),
      (1...12).contains(month), (1...daysOfMonth(month, year: year)).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    var at = 19
    var fraction = 0.0
    if bytes[at] == UInt8(ascii: ".") {
      let start = at
      at += 1
      while at < bytes.count, bytes[at] &- 48 < 10 { at += 1 }
      guard at - start > 1, let value = Double("0" + String(decoding: bytes[start..<at], as: UTF8.self)) else {
        return nil
      }
      fraction = value
    }
    guard at < bytes.count, let offset = offset(bytes, at: at) else { return nil }
    let days = dayNumber(year: year, month: month, day: day)
    let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    return Double(whole) + fraction
  }

  /// The instant `seconds` after the beginning of 1970, in UTC with milliseconds: `2026-03-29T01:30:00.250Z`.
  ///
  /// Instants before the year 0 or after 9999, which the notation cannot write, give its first or last.
  public static func format(_ seconds: Double) -> String {
    // 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z
    let rounded = (seconds * 1000).rounded()
    let milliseconds = rounded.isNaN ? 0 : Int(min(max(rounded, -62_167_219_200_000), 253_402_300_799_999))
    let days = milliseconds.floorDivided(by: 86_400_000)
    let rest = milliseconds - days * 86_400_000
    let date = civil(dayNumber: days)
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
      + "\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2)):\(padded(rest / 1000 % 60, 2)).\(padded(rest % 1000, 3))Z"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var value = 0
    for byte in bytes[range] {
      guard byte &- 48 < 10 else { return nil }
      value = value * 10 + Int(byte - 48)
    }
    return value
  }

  /// The seconds east of UTC that `Z` or `+hh:mm` at the end of the text stands for.
  private static func offset(_ bytes: [UInt8], at: Int) -> Int? {
    if bytes[at] | 0x20 == UInt8(ascii: "z") { return at + 1 == bytes.count ? 0 : nil }
    guard bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-"), bytes.count == at + 6,
      bytes[at + 3] == UInt8(ascii: ":"), let hours = number(bytes, at + 1..<at + 3),
      let minutes = number(bytes, at + 4..<at + 6), hours < 24, minutes < 60
    else { return nil }
    return (bytes[at] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private static func daysOfMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01. Counts years from March, so that the leap day is a year's last, in eras of 400 years.
  private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted.floorDivided(by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    // 719,468 days lie between 0000-03-01 and 1970-01-01, 146,097 in an era.
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The date of a day counted from 1970-01-01; undoes `dayNumber`.
  private static func civil(dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = dayNumber + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = (shiftedMonth + 2) % 12 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

extension Int {
  /// The quotient rounded down, also for negative numbers.
  fileprivate func floorDivided(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
