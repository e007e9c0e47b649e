/// Instants in the notation of RFC 3339: `2026-03-29T02:30:00.250+01:00`.
public enum TimestampNotation {
  /// Returns the seconds between the start of 1970 in UTC and the instant `text`, or nil if it is not a timestamp.
  ///
  /// A space or `t` may replace `T`, and `z` may replace `Z`; the offset is required. A leap second counts as the second after it.
  public static func parse(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[10]),
      let year = number(bytes, 0..<4), let month = number(bytes, 5..<7), let day = number(bytes, 8..<10),
      let hour = number(bytes, 11..<13), let minute = number(bytes, 14..<16), let second = number(bytes, 17..<19),
      (1...12).contains(month), (1...CivilCalendar.length(ofMonth: month, year: year)).contains(day), hour < 24,
      minute < 60, second <= 60
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
    let days = CivilCalendar.dayNumber(of: (year, month, day))
    let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    return Double(whole) + fraction
  }

  /// Returns the instant `seconds` after the start of 1970, in UTC with milliseconds: `2026-03-29T01:30:00.250Z`.
  ///
  /// Instants before the year 0 or after 9999, which the notation cannot express, are clamped to its first or last instant.
  public static func format(_ seconds: Double) -> String {
    // 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z
    let rounded = (seconds * 1000).rounded()
    let milliseconds = rounded.isNaN ? 0 : Int(min(max(rounded, -62_167_219_200_000), 253_402_300_799_999))
    let days = CivilCalendar.floorQuotient(milliseconds, 86_400_000)
    let rest = milliseconds - days * 86_400_000
    let date = CivilCalendar.day(days)
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

  /// Returns the seconds east of UTC that the `Z` or `+hh:mm` at the end of the text stands for.
  private static func offset(_ bytes: [UInt8], at: Int) -> Int? {
    if bytes[at] | 0x20 == UInt8(ascii: "z") { return at + 1 == bytes.count ? 0 : nil }
    guard bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-"), bytes.count == at + 6,
      bytes[at + 3] == UInt8(ascii: ":"), let hours = number(bytes, at + 1..<at + 3),
      let minutes = number(bytes, at + 4..<at + 6), hours < 24, minutes < 60
    else { return nil }
    return (bytes[at] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }
}
