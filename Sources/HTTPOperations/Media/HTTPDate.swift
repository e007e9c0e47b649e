import Operations

/// Parses and formats timestamps as HTTP does.
public enum HTTPDate {
  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Parses the three formats of RFC 9110, 5.6.7:
  ///
  /// ```
  /// Sun, 06 Nov 1994 08:49:37 GMT     the current format
  /// Sunday, 06-Nov-94 08:49:37 GMT    RFC 850
  /// Sun Nov  6 08:49:37 1994          asctime
  /// ```
  ///
  /// A two-digit year more than 50 years after `now` is taken to be in the previous century, as the RFC requires. The name of the day is not checked
  /// against the date.
  ///
  /// - Returns: nil if the text has none of these formats, or the day does not exist.
  public static func parse(_ text: String, now: Timestamp) -> Timestamp? {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard let first = words.first else { return nil }
    if first.hasSuffix(",") {
      guard isDay(first.dropLast()) else { return nil }
      if words.count == 6, words[5] == "GMT", words[1].utf8.count == 2, words[3].utf8.count == 4 {
        return instant(day: words[1], month: words[2], year: number(words[3]), time: words[4])
      }
      let date = words.count == 4 ? words[1].split(separator: "-", omittingEmptySubsequences: false) : []
      guard date.count == 3, words[3] == "GMT", date[2].utf8.count == 2, let short = number(date[2]) else { return nil }
      return instant(day: date[0], month: date[1], year: fullYear(short, now: now), time: words[2])
    }
    guard words.count == 5, isDay(first), words[4].utf8.count == 4 else { return nil }
    return instant(day: words[2], month: words[1], year: number(words[4]), time: words[3])
  }

  /// Formats a timestamp in the current format, without fractions of a second. nil outside of the years 0 to 9999.
  public static func format(_ instant: Timestamp) -> String? {
    guard (-62_167_219_200..<253_402_300_800).contains(instant.seconds) else { return nil }
    let day = instant.seconds.floored(by: 86_400)
    let second = instant.seconds - day * 86_400
    let date = CivilDay(number: day)
    // 1970-01-01 was a Thursday.
    let weekday = Int(((day + 3) % 7 + 7) % 7)
    return "\(days[weekday]), \(padded(Int(date.day))) \(months[Int(date.month) - 1]) \(padded(Int(date.year), 4)) "
      + "\(padded(Int(second / 3600))):\(padded(Int(second / 60 % 60))):\(padded(Int(second % 60))) GMT"
  }

  private static func isDay(_ name: Substring) -> Bool {
    let long = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    return days.contains(String(name)) || long.contains(String(name))
  }

  private static func instant(day: Substring, month: Substring, year: Int?, time: Substring) -> Timestamp? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    guard let day = number(day), let year, let month = months.firstIndex(of: String(month)), clock.count == 3,
      clock.allSatisfy({ $0.utf8.count == 2 }), let hour = number(clock[0]), let minute = number(clock[1]),
      let second = number(clock[2]), hour < 24, minute < 60, second <= 60, day >= 1
    else { return nil }
    let number = CivilDay.number(year: Int64(year), month: Int64(month + 1), day: Int64(day))
    // A day that the month does not have would become a day of the next month.
    guard CivilDay(number: number).day == day else { return nil }
    return Timestamp(seconds: number * 86_400 + Int64(hour * 3600 + minute * 60 + second))
  }

  private static func fullYear(_ short: Int, now: Timestamp) -> Int {
    let year = Int(CivilDay(number: now.seconds.floored(by: 86_400)).year)
    let sameCentury = year / 100 * 100 + short
    return sameCentury > year + 50 ? sameCentury - 100 : sameCentury
  }

  private static func number(_ text: Substring) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
